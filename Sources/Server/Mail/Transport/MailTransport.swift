import Foundation
import Ground

/// Hands mails on.
package protocol MailTransport: Sendable {
    /// Returns when somebody else has taken responsibility for the mail.
    /// - Parameter content: the whole message, lines ending in CRLF.
    /// - Throws: ``MailFailure``
    func send(_ content: String, from sender: MailAddress, to recipient: MailAddress) async throws
}

package struct MailFailure: Error, Equatable, CustomStringConvertible {
    /// Without addresses: it goes into the log.
    package let reason: String
    /// Another attempt would end the same.
    package let isPermanent: Bool

    package var description: String { reason }
}

/// Where mail goes, and who it comes from.
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
