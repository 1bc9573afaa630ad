import Directory
import Foundation
import Ground
import Storage

/// Queues mail in the transaction of the change that the mail is about, so that both are committed or neither is.
///
/// If no mail server or folder is configured, no mail can be queued. Features that need mail check ``isAvailable`` and
/// are not offered then.
package struct Mailer: Sendable {
    /// The sender of all mails; nil if mail is not configured.
    private let sender: Mailbox?
    private let surroundings: Surroundings

    package init(sender: Mailbox?, surroundings: Surroundings) {
        self.sender = sender
        self.surroundings = surroundings
    }

    package var isAvailable: Bool { sender != nil }

    /// Mail is not configured. Callers are expected to check ``isAvailable`` first.
    package struct Unavailable: Error {
        package init() {}
    }

    /// - Parameters:
    ///   - person: whose address it is; nil if nobody has an account with it yet.
    ///   - expiresAt: when the mail becomes useless, such as when the code in it expires; it is not sent after that. nil
    ///     for never.
    ///
    /// People of a sandbox get no mail: their addresses are whatever a stranger has typed.
    /// - Throws: ``Unavailable`` if mail is not configured.
    package func enqueue(
        _ message: MailMessage, for person: PersonID? = nil, expiresAt: Date? = nil, in transaction: WriteTransaction
    ) throws {
        guard let sender else { throw Unavailable() }
        if let person, try Organization.isSandbox(of: person, in: transaction) { return }
        let now = surroundings.now()
        let name = surroundings.randomBytes(16).hexadecimal
        try transaction.execute(
            """
            INSERT INTO mail_message
                (message_id, recipient, subject, body, language, created_at, next_attempt_at, expires_at, person_id)
            VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8)
            """,
            [
                "\(name)@\(sender.address.domain)", message.recipient.text, message.subject, message.text,
                message.language, now, expiresAt, person,
            ])
    }
}
