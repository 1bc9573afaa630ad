import Directory
import Foundation
import Storage

/// A mail that waits in the database until a server has taken it, so that a restart loses none.
package struct OutgoingMail: Sendable {
    package let id: Int
    /// Without angle brackets; the same at each attempt.
    package let messageID: String
    package let message: MailMessage
    package let createdAt: Date
    /// So many were made before.
    package let attempts: Int
}

/// The queue of mails: what is due, and what became of it.
///
/// Mails hold codes and links, so that a mail is deleted once it was delivered; of one that was given up, only the
/// time and the reason stay.
package struct MailOutbox: Sendable {
    private let database: any Database
    private let now: @Sendable () -> Date

    package init(database: any Database, now: @escaping @Sendable () -> Date) {
        self.database = database
        self.now = now
    }

    /// Pauses before the second, third … attempt, about a day in all. People wait for these mails, so that the first
    /// pauses are short.
    package static let pauses: [TimeInterval] = [5, 15, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 28_800]
    /// While an attempt is under way nobody else takes the mail; a crash in its middle delays it so long. Longer than
    /// any attempt takes.
    private static let lease: TimeInterval = SMTPTransport.timeout + 30
    /// $1 is the time of now, and $2 ``latest(at:)``: what is to be sent later than that was queued by a clock that was wrong.
    private static let isDue = "(next_attempt_at <= $1 OR next_attempt_at > $2)"
    private static func latest(at now: Date) -> Date { now.addingTimeInterval(pauses.max()! + lease) }

    /// Takes up to `limit` mails whose time has come.
    package func takeDue(limit: Int) async throws -> [OutgoingMail] {
        let now = now()
        // Most of the time nothing is due, and a read tells so without writing.
        let isDue = try await database.read {
            try $0.exists("SELECT 1 FROM mail_message WHERE \(Self.isDue)", [now, Self.latest(at: now)])
        }
        guard isDue else { return [] }
        return try await database.write { transaction in
            try transaction.execute(
                """
                UPDATE mail_message
                SET recipient = '', subject = '', body = '', next_attempt_at = NULL,
                    last_error = COALESCE(last_error, 'nobody took it') || ', until it was of no use any more'
                WHERE next_attempt_at <= $1 AND expires_at <= $1
                """,
                [now])
            return try transaction.all(
                """
                UPDATE mail_message SET next_attempt_at = $3
                WHERE id IN (SELECT id FROM mail_message WHERE \(Self.isDue) ORDER BY next_attempt_at, id LIMIT $4)
                RETURNING id, message_id, recipient, subject, body, language, created_at, attempts
                """,
                [now, Self.latest(at: now), now.addingTimeInterval(Self.lease), limit]
            ) { row in
                OutgoingMail(
                    id: try row[0], messageID: try row[1],
                    message: try MailMessage(
                        to: try MailAddress(row[2]), subject: try row[3], text: try row[4], language: try row[5]),
                    createdAt: try row[6], attempts: try row[7])
            }
        }
    }

    package func recordDelivery(of mail: OutgoingMail) async throws {
        try await database.write { try $0.execute("DELETE FROM mail_message WHERE id = $1", [mail.id]) }
    }

    /// - Parameters:
    ///   - error: what the server said or the kind of failure; without the address.
    ///   - isPermanent: another attempt would end the same.
    /// - Returns: when the next attempt is due, nil if that was the last.
    @discardableResult
    package func recordFailure(of mail: OutgoingMail, error: String, isPermanent: Bool) async throws -> Date? {
        let error = String(error.prefix(512))
        guard !isPermanent, Self.pauses.indices.contains(mail.attempts) else {
            try await database.write { transaction in
                try transaction.execute(
                    """
                    UPDATE mail_message
                    SET recipient = '', subject = '', body = '', attempts = attempts + 1, next_attempt_at = NULL,
                        last_error = $2
                    WHERE id = $1
                    """,
                    [mail.id, error])
            }
            return nil
        }
        let next = now().addingTimeInterval(Self.pauses[mail.attempts])
        try await database.write { transaction in
            try transaction.execute(
                "UPDATE mail_message SET attempts = attempts + 1, next_attempt_at = $2, last_error = $3 WHERE id = $1",
                [mail.id, next, error])
        }
        return next
    }
}

extension MailOutbox {
    /// What the operator should know.
    package struct Backlog: Equatable, Sendable {
        package let waiting: Int
        package let givenUp: Int
        /// What went wrong last with a mail that waits or was given up.
        package let lastError: String?
    }

    package static func backlog(in transaction: some Transaction) throws -> Backlog {
        let counts = try transaction.first(
            """
            SELECT COUNT(CASE WHEN next_attempt_at IS NOT NULL THEN 1 END),
                   COUNT(CASE WHEN next_attempt_at IS NULL THEN 1 END)
            FROM mail_message
            """
        ) { (try $0[0] as Int, try $0[1] as Int) }
        let lastError = try transaction.first(
            "SELECT last_error FROM mail_message WHERE last_error IS NOT NULL ORDER BY id DESC LIMIT 1"
        ) { try $0[0] as String }
        return Backlog(waiting: counts?.0 ?? 0, givenUp: counts?.1 ?? 0, lastError: lastError)
    }

    /// What was given up so long ago is told to nobody any more.
    private static let memory: TimeInterval = 30 * 86_400

    /// Forgets old failures.
    package func prune() async throws {
        let before = now().addingTimeInterval(-Self.memory)
        let isOld = try await database.read {
            try $0.exists("SELECT 1 FROM mail_message WHERE next_attempt_at IS NULL AND created_at < $1", [before])
        }
        guard isOld else { return }
        try await database.write {
            try $0.execute(
                "DELETE FROM mail_message WHERE next_attempt_at IS NULL AND created_at < $1", [before])
        }
    }
}
