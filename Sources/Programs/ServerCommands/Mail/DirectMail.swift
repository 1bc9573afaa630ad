import CommandOutput
import Directory
import Foundation
import Ground
import Mail

/// A mail that a command sends at once, beside the queue of the server, which may be what is broken.
struct DirectMail {
    let configuration: MailConfiguration
    var surroundings = Surroundings.system

    /// - Returns: the id of the message.
    /// - Throws: ``Failure`` with the mail server's reason.
    @discardableResult
    func send(_ message: MailMessage) async throws -> String {
        let sender = configuration.sender
        let id = "\(surroundings.randomBytes(16).hexadecimal)@\(sender.address.domain)"
        do {
            try await configuration.makeTransport(surroundings).send(
                message.rendered(from: sender, messageID: id, date: surroundings.now()),
                from: sender.address, to: message.recipient)
        } catch let failure as MailFailure {
            throw Failure("The mail was not taken: \(failure.reason).")
        }
        return id
    }
}
