import Foundation
import Storage

/// An audit entry as stored in its chain.
package struct AuditRecord: Sendable, Equatable {
    package let sequence: Int
    package let at: Date
    package let actor: String
    package let action: String
    package let subject: String
    package let outcome: String
    package let detail: String
    package let origin: String
}

extension AuditRecord {
    init(_ row: Row) throws {
        self.init(
            sequence: try row["sequence"], at: try row["at"], actor: try row["actor"], action: try row["action"],
            subject: try row["subject"], outcome: try row["outcome"], detail: try row["detail"],
            origin: try row["origin"])
    }

    /// The next `limit` entries after `sequence`, oldest first.
    package static func page(
        of organization: OrganizationID?, after sequence: Int, limit: Int, in transaction: some Transaction
    ) throws -> [AuditRecord] {
        try chain(of: organization, after: sequence, limit: limit, in: transaction).map(\.record)
    }
}
