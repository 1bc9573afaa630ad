import Foundation
import Ground

/// A way to deliver mails.
package protocol MailTransport: Sendable {
    /// Returns when the other side has accepted responsibility for the mail.
    /// - Parameter content: the whole message, lines ending in CRLF.
    /// - Throws: ``MailFailure`` if the mail was not accepted.
    func send(_ content: String, from sender: MailAddress, to recipient: MailAddress) async throws
}

package struct MailFailure: Error, Equatable, CustomStringConvertible {
    /// Without addresses, because it is logged.
    package let reason: String
    /// Whether another attempt would fail the same way.
    package let isPermanent: Bool

    package var description: String { reason }
}

/// How mail is delivered, and its sender.
package struct MailConfiguration: Sendable {
    package enum Transport: Sendable {
        case smtp(SMTPTransport.Server)
        /// A folder, for development.
        case maildir(String)
    }

    package let sender: Mailbox
    package let transport: Transport

    package init(sender: Mailbox, transport: Transport) {
        self.sender = sender
        self.transport = transport
    }

    package func makeTransport(_ surroundings: Surroundings) -> any MailTransport {
        switch transport {
        case .smtp(let server): SMTPTransport(server)
        case .maildir(let folder): MaildirTransport(folder: folder, surroundings: surroundings)
        }
    }
}
