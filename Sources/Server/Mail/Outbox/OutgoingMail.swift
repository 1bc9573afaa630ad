import Foundation
import Outbox
import Storage

/// A mail that waits in the database until a server has taken it.
package struct OutgoingMail: OutboxMessage {
    package let id: Int
    /// Without angle brackets; the same at each attempt.
    package let messageID: String
    package let message: MailMessage
    package let createdAt: Date
    package let attempts: Int
}

extension OutgoingMail {
    static let columns = "id, message_id, recipient, subject, body, language, created_at, attempts"

    init(_ row: Row) throws {
        id = try row[0]
        messageID = try row[1]
        message = try MailMessage(
            to: try MailAddress(row[2]), subject: try row[3], text: try row[4], language: try row[5])
        createdAt = try row[6]
        attempts = try row[7]
    }
}
