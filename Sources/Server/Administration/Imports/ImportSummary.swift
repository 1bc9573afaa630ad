import Directory
import Foundation

/// An import that was applied, with what it has changed.
package struct ImportSummary: Codable, Equatable, Sendable {
    /// Numbers of records of one type.
    package struct Effects: Codable, Equatable, Sendable {
        package let inFile: Int
        package let added: Int
        package let changed: Int
        /// Deactivated, archived or removed.
        package let deactivated: Int
        package let reactivated: Int
    }

    /// What stands at one of the keys of the kept summary; nil for what is not about records.
    private struct Counts: Decodable {
        let effects: Effects?

        init(from decoder: any Decoder) throws { effects = try? Effects(from: decoder) }
    }

    package let number: Int64
    package let at: Date
    package let undoneAt: Date?
    /// SHA-256 of the six files: two imports with the same one had the same files.
    package let digest: String
    /// The schools whose files they were; nil for files of the whole organization.
    package let schools: [ImportedSchool]?
    /// Whether its files are kept, so that they can be imported again and compared.
    package let filesAreKept: Bool
    /// By type of record: `locations`, `students`, `staff`, `courses`, `classes`, `memberships`.
    package let effects: [String: Effects]

    init(_ applied: AppliedImport, filesAreKept: Bool) throws {
        number = applied.id
        at = applied.appliedAt
        undoneAt = applied.undoneAt
        digest = applied.digest
        schools = applied.schools
        self.filesAreKept = filesAreKept
        effects = try JSONDecoder().decode([String: Counts].self, from: Data(applied.summary.utf8))
            .compactMapValues(\.effects)
    }
}
