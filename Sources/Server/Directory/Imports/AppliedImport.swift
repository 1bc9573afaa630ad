import Foundation
import Storage

/// An import that was applied, as the history keeps it.
package struct AppliedImport: Equatable, Sendable {
    package let id: Int64
    package let appliedAt: Date
    package let undoneAt: Date?
    /// SHA-256 of the six files, in hexadecimal: equal for equal files.
    package let digest: String
    /// The numbers of records by type, as JSON.
    package let summary: String

    /// The newest first.
    package static func page(
        of organization: OrganizationID, before id: Int64, limit: Int, in transaction: some Transaction
    ) throws -> [AppliedImport] {
        try transaction.all(
            """
            SELECT id, applied_at, undone_at, digest, summary FROM roster_import
            WHERE organization_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3
            """, [organization, id, limit]
        ) { row in
            AppliedImport(
                id: try row["id"], appliedAt: try row["applied_at"], undoneAt: try row["undone_at"],
                digest: try row["digest"], summary: try row["summary"])
        }
    }
}
