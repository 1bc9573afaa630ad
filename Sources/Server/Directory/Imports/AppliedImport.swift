import Foundation
import Storage

/// An import that was applied, as the history keeps it.
package struct AppliedImport: Equatable, Sendable {
    package let id: Int64
    package let appliedAt: Date
    package let undoneAt: Date?
    /// SHA-256 of the six files, in hexadecimal: equal for equal files.
    package let digest: String
    /// The numbers of records by type, as JSON, and `schools` if its files were of single ones.
    package let summary: String

    private struct Schools: Decodable {
        let schools: [ImportedSchool]?
    }

    /// The schools whose files it was of; nil for files of the whole organization.
    package var schools: [ImportedSchool]? { Self.schools(in: summary) }

    private static func schools(in summary: String) -> [ImportedSchool]? {
        try? JSONDecoder().decode(Schools.self, from: Data(summary.utf8)).schools
    }

    /// The schools whose files an import was of, of which only the id is known; empty for files of the whole
    /// organization.
    package static func schools(of importID: Int, in transaction: some Transaction) throws -> [LocationID] {
        let summary = try transaction.first("SELECT summary FROM roster_import WHERE id = $1", [importID]) {
            try $0[0] as String
        }
        return summary.flatMap { schools(in: $0) }?.compactMap(\.location) ?? []
    }

    /// The imports of an organization before the one with this id, the newest first.
    package static func page(
        of organization: OrganizationID, before id: Int64, limit: Int, in transaction: some Transaction
    ) throws -> [AppliedImport] {
        try transaction.all(
            "SELECT \(columns) FROM roster_import WHERE organization_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
            [organization, id, limit], AppliedImport.init)
    }

    /// - Returns: nil if the organization has made no import of this number.
    package static func find(
        _ id: Int64, of organization: OrganizationID, in transaction: some Transaction
    ) throws -> AppliedImport? {
        try transaction.first(
            "SELECT \(columns) FROM roster_import WHERE organization_id = $1 AND id = $2", [organization, id],
            AppliedImport.init)
    }

    private static let columns = "id, applied_at, undone_at, digest, summary"

    private init(_ row: Row) throws {
        id = try row["id"]
        appliedAt = try row["applied_at"]
        undoneAt = try row["undone_at"]
        digest = try row["digest"]
        summary = try row["summary"]
    }
}
