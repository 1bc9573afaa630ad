import ArgumentParser

/// Which part of the audit trail, and how much of it.
struct AuditTimeOptions: ParsableArguments {
    @Option(help: "Only from this time on, such as 2026-08-01 or 2026-08-01T07:30:00Z.")
    var from: PointInTime?

    @Option(help: "Only before this time.")
    var until: PointInTime?

    @Option(parsing: .unconditional, help: "Begin before this entry: the number that the page before ended with.")
    var before: Int?

    @Option(parsing: .unconditional, help: "How many to show.")
    var limit = 100

    func validate() throws {
        guard (1...1_000).contains(limit) else { throw ValidationError("--limit must be between 1 and 1000.") }
        if let from, let until, from.date >= until.date { throw ValidationError("--from must be before --until.") }
    }

    /// The text after a page that tells how to get the next one; empty for the last page.
    static func hint(_ next: Int?) -> String { next.map { "\n\nThere is more: --before \($0)" } ?? "" }
}

extension [String: String] {
    /// A name with the id that stands for it in the trail; the id alone if there is no name.
    func naming(_ id: String) -> String { self[id].map { "\($0) (\(id))" } ?? id }
}
