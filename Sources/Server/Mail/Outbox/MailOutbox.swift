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

    package func recordDelivery(of mail: OutgoingMail) async throws {
        try await database.write { try Self.outbox.delete(mail.id, in: $0) }
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
