import Directory
import Foundation
import Outbox
import Storage

/// The queue of outgoing mails.
///
/// Mails contain codes and links. Therefore a mail is deleted when it is delivered; of one that was given up, only the
/// time and the reason are kept.
package struct MailOutbox: Sendable {
    private let database: any Database
    private let now: @Sendable () -> Date

    package init(database: any Database, now: @escaping @Sendable () -> Date) {
        self.database = database
        self.now = now
    }

    /// Attempts go on for about a day. The first pauses are short, because people wait for these mails.
    package static let outbox = Outbox(
        table: "mail_message", secrets: ["recipient", "subject", "body"],
        pauses: [5, 15, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 28_800], lease: SMTPTransport.timeout + 30)

    /// Takes up to `limit` mails that are due, and gives up those that have expired.
    package func takeDue(limit: Int) async throws -> [OutgoingMail] {
        let now = now()
        guard try await database.read({ try Self.outbox.hasDue(at: now, in: $0) }) else { return [] }
        return try await database.write { transaction in
            try Self.outbox.giveUp(
                where: "next_attempt_at <= $1 AND expires_at <= $1",
                lastError: "COALESCE(last_error || '; ', '') || 'expired before it was delivered'", [now],
                in: transaction)
            return try Self.outbox.take(
                limit: limit, columns: OutgoingMail.columns, at: now, in: transaction, read: OutgoingMail.init)
        }
    }

    /// Mail to the same person that was given up before is forgotten: the address takes mail again.
    package func recordDelivery(of mail: OutgoingMail) async throws {
        try await database.write { transaction in
            try Self.outbox.delete(mail.id, in: transaction)
            guard let person = mail.person else { return }
            try transaction.execute(
                "DELETE FROM mail_message WHERE person_id = $1 AND next_attempt_at IS NULL", [person])
        }
    }

    /// People of an organization to whom mail was given up in the last month, and who have had none since. Those of
    /// whom it was last are first.
    package static func unreached(
        in organization: OrganizationID, limit: Int, _ transaction: some Transaction
    ) throws -> [(person: PersonID, at: Date)] {
        try transaction.all(
            """
            SELECT p.id, MAX(m.created_at) AS at FROM mail_message AS m
            CROSS JOIN person AS p -- in this order, because little mail is given up
            WHERE m.next_attempt_at IS NULL AND m.created_at > 0 AND p.id = m.person_id AND p.organization_id = $1
                AND p.state <> 'deactivated'
            GROUP BY p.id
            ORDER BY MAX(m.created_at) DESC, p.id
            LIMIT $2
            """, [organization, limit]
        ) { (try $0["id"], try $0["at"]) }
    }

    /// To how many people of an organization it is so.
    package static func unreachedCount(
        in organization: OrganizationID, _ transaction: some Transaction
    ) throws -> Int {
        try transaction.first(
            """
            SELECT COUNT(DISTINCT p.id) FROM mail_message AS m
            CROSS JOIN person AS p -- in this order, because little mail is given up
            WHERE m.next_attempt_at IS NULL AND m.created_at > 0 AND p.id = m.person_id AND p.organization_id = $1
                AND p.state <> 'deactivated'
            """, [organization]
        ) { try $0[0] } ?? 0
    }

    /// How many mails to people of an organization are not delivered yet, and not given up.
    package static func waiting(in organization: OrganizationID, _ transaction: some Transaction) throws -> Int {
        try transaction.first(
            """
            SELECT COUNT(*) FROM mail_message AS m
            CROSS JOIN person AS p -- in this order, because delivered mail is deleted
            WHERE m.next_attempt_at IS NOT NULL AND p.id = m.person_id AND p.organization_id = $1
            """, [organization]
        ) { try $0[0] } ?? 0
    }

    /// - Parameters:
    ///   - error: the server's message or the kind of failure, without the address.
    ///   - isPermanent: whether another attempt would fail the same way.
    /// - Returns: when the next attempt is due; nil if there will be none.
    @discardableResult
    package func recordFailure(of mail: OutgoingMail, error: String, isPermanent: Bool) async throws -> Date? {
        let now = now()
        return try await database.write {
            try Self.outbox.recordFailure(of: mail, error: error, isPermanent: isPermanent, at: now, in: $0)
        }
    }
}
