/// How the audit trail words what becomes of imports. It has ids and no names, so a school is `location:12`.
package enum ImportTrail {
    /// - Parameter schools: those whose files they are; empty for files of the whole organization. So it is below too.
    package static func applied(_ importID: Int, of schools: [LocationID], _ summary: String) -> String {
        "import \(importID)\(words(schools))\(schools.isEmpty ? ":" : ";") \(summary)"
    }

    package static func held(_ planID: String, of schools: [LocationID]) -> String {
        "plan \(planID) is held\(words(schools))"
    }

    package static func nothingToDo(for schools: [LocationID]) -> String { "nothing to do\(words(schools))" }

    package static func undone(_ importID: Int, of schools: [LocationID]) -> String {
        "import \(importID)\(words(schools))"
    }

    private static func words(_ schools: [LocationID]) -> String {
        schools.isEmpty ? "" : " for " + schools.map { "location:\($0.rawValue)" }.joined(separator: " ")
    }

    /// The schools that such words name.
    static func schools(in text: String) -> Set<LocationID> {
        let name = "location:"
        return Set(
            text.split { $0 == " " || $0 == ";" }.filter { $0.hasPrefix(name) }
                .compactMap { Int64($0.dropFirst(name.count)).map(LocationID.init(rawValue:)) })
    }
}
