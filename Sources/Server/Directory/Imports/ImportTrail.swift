/// How the audit trail words what becomes of imports. It has ids and no names, so a school is `location:12`.
package enum ImportTrail {
    /// - Parameters:
    ///   - schools: the schools whose files they are; empty for files of the whole organization. The other functions
    ///     have it in the same meaning.
    ///   - summary: what has changed, in numbers.
    package static func applied(of schools: [LocationID], _ summary: String) -> String {
        schools.isEmpty ? summary : "\(summary)\(words(schools))"
    }

    package static func held(_ planID: String, of schools: [LocationID]) -> String {
        "\(heldStart)\(planID)\(heldEnd)\(words(schools))"
    }

    package static func discarded(_ planID: String, of schools: [LocationID]) -> String {
        "\(heldStart)\(planID)\(discardedEnd)\(words(schools))"
    }

    package static func nothingToDo(for schools: [LocationID]) -> String { "nothing to do\(words(schools))" }

    package static func undone(of schools: [LocationID]) -> String { String(words(schools).drop { $0 == " " }) }

    private static let (heldStart, heldEnd, discardedEnd) = ("plan ", " is held", " is discarded")

    private static func words(_ schools: [LocationID]) -> String {
        schools.isEmpty ? "" : " for " + schools.map { "location:\($0.rawValue)" }.joined(separator: " ")
    }

    /// The schools that the detail of an entry names.
    static func schools(in text: String) -> Set<LocationID> {
        let name = "location:"
        return Set(
            text.split(separator: " ").filter { $0.hasPrefix(name) }
                .compactMap { Int64($0.dropFirst(name.count)).map(LocationID.init(rawValue:)) })
    }

    /// The id of the plan that is held, if the detail of an entry says that one is; nil if it says something else.
    static func planID(in text: String) -> String? { planID(in: text, before: heldEnd) }

    /// The id of the plan that somebody gave up, if the detail of an entry says that; otherwise nil.
    static func discardedPlanID(in text: String) -> String? { planID(in: text, before: discardedEnd) }

    private static func planID(in text: String, before end: String) -> String? {
        guard text.hasPrefix(heldStart), let end = text.firstRange(of: end)?.lowerBound else { return nil }
        return String(text[text.index(text.startIndex, offsetBy: heldStart.count)..<end])
    }
}
