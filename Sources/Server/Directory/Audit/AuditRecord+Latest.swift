import Foundation
import Storage

extension AuditRecord {
    /// The last entry on imports of an organization: applied, held or taken back. Nil if there was none.
    package static func lastImport(
        of organization: OrganizationID, in transaction: some Transaction
    ) throws -> (at: Date, isHeld: Bool)? {
        try transaction.first(
            """
            SELECT at, outcome FROM audit_entry
            WHERE organization_id = $1 AND action IN ('roster.imported', 'roster.import-undone')
            ORDER BY sequence DESC
            LIMIT 1
            """,
            [organization]
        ) { (try $0["at"], try $0["outcome"] as String == AuditEntry.Outcome.refused.rawValue) }
    }

    /// When somebody read the organization's roster last; nil: never.
    package static func lastRead(
        by actor: Actor, of organization: OrganizationID, in transaction: some Transaction
    ) throws -> Date? {
        // The word stands in the statement, so that the index on these entries alone serves it.
        try transaction.first(
            """
            SELECT at FROM audit_entry WHERE organization_id = $1 AND actor = $2 AND action = 'roster.read'
            ORDER BY sequence DESC LIMIT 1
            """,
            [organization, actor.text]
        ) { try $0[0] }
    }

    /// When the last entry of any chain was written, nil if there is none.
    package static func latest(in transaction: some Transaction) throws -> Date? {
        try transaction.first("SELECT MAX(at) FROM audit_entry") { try $0[0] as Date? } ?? nil
    }
}
