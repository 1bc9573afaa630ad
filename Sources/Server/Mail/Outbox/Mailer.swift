import Directory
import Foundation
import Ground
import Storage

/// Queues mail, in the transaction of what the mail is about: if that does not stay, neither does the mail.
///
/// Without a mail server or folder there is no mail. What needs it asks ``isAvailable`` first, and is not offered.
package struct Mailer: Sendable {
    /// Who the mails come from; nil: mail is off.
    private let sender: Mailbox?
    private let surroundings: Surroundings

    package init(sender: Mailbox?, surroundings: Surroundings) {
        self.sender = sender
        self.surroundings = surroundings
    }

    package var isAvailable: Bool { sender != nil }

    /// Mail is off: whoever asked should have been told so.
    package struct Unavailable: Error {}

    /// - Parameter expiresAt: when the mail is of no use any more, such as the end of the code in it; it is then not
    ///   sent. Nil: it is always worth sending.
    /// - Throws: ``Unavailable``
    package func enqueue(
        _ message: MailMessage, expiresAt: Date? = nil, in transaction: WriteTransaction
    ) throws {
        guard let sender else { throw Unavailable() }
        let now = surroundings.now()
        let name = surroundings.randomBytes(16).hexadecimal
        try transaction.execute(
            """
            INSERT INTO mail_message
                (message_id, recipient, subject, body, language, created_at, next_attempt_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $6, $7)
            """,
            [
                "\(name)@\(sender.address.domain)", message.recipient.text, message.subject, message.text,
                message.language, now, expiresAt,
            ])
    }
}
