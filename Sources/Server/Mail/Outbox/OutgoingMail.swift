import Directory
import Foundation
import Outbox
import Storage

/// A mail that is kept in the database until a mail server has accepted it.
package struct OutgoingMail: OutboxMessage {
    package let id: Int
    /// Without angle brackets; the same for every attempt.
    package let messageID: String
    package let message: MailMessage
    package let createdAt: Date
    package let attempts: Int
    /// Whose address it is; nil if nobody had an account with it yet.
    let person: PersonID?
}

extension OutgoingMail {
    static let columns = "id, message_id, recipient, subject, body, language, created_at, attempts, person_id"

    init(_ row: Row) throws {
        id = try row["id"]
        messageID = try row["message_id"]
        message = try MailMessage(
            to: try MailAddress(row["recipient"]), subject: try row["subject"], text: try row["body"],
            language: try row["language"])
        createdAt = try row["created_at"]
        attempts = try row["attempts"]
        person = try row["person_id"]
    }
}
