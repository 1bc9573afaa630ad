import Foundation
import Storage

extension AuditRecord {
    /// When the organization's roster was last read by an app; nil if never.
    package static func lastRead(
        by actor: Actor, of organization: OrganizationID, in transaction: some Transaction
    ) throws -> Date? {
        // The action is a literal in the statement, because the partial index on these entries is used only then.
        try transaction.first(
            """
            SELECT at FROM audit_entry WHERE organization_id = $1 AND actor = $2 AND action = 'roster.read'
            ORDER BY sequence DESC LIMIT 1
            """,
            [organization, actor.text]
        ) { try $0[0] }
    }

    /// Whether an entry of the organization's chain is of that time or later.
    package static func isThere(
        of organization: OrganizationID, since time: Date, in transaction: some Transaction
    ) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM audit_entry WHERE organization_id = $1 AND at >= $2", [organization, time])
    }

    /// When the last entry of any chain was written, nil if there is none.
    package static func latest(in transaction: some Transaction) throws -> Date? {
        try transaction.first("SELECT MAX(at) FROM audit_entry") { try $0[0] as Date? } ?? nil
    }
}
