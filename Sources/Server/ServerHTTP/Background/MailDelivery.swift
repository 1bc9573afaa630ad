import Foundation
import Logging
import Mail
import ServiceLifecycle

/// Sends the mails in the queue, until the server stops.
struct MailDelivery: Service {
    let queue: MailOutbox
    let sender: Mailbox
    let transport: any MailTransport
    let interval: Duration
    let logger: Logger

    func run() async throws {
        await RepeatedWork.run(every: interval, failure: "mails were not read", logger) {
            try await RepeatedWork.drain({ try await queue.takeDue(limit: 4) }, deliver: deliver)
        }
    }

    @Sendable private func deliver(_ mail: OutgoingMail) async throws {
        let failure: MailFailure
        do {
            try await transport.send(
                mail.message.rendered(from: sender, messageID: mail.messageID, date: mail.createdAt),
                from: sender.address, to: mail.message.recipient)
            try await queue.recordDelivery(of: mail)
            logger.info("mail delivered", metadata: ["message": "\(mail.messageID)"])
            return
        } catch let thrown as MailFailure {
            failure = thrown
        }
        let next = try await queue.recordFailure(of: mail, error: failure.reason, isPermanent: failure.isPermanent)
        logger.warning(
            next == nil ? "mail given up" : "mail not delivered",
            metadata: ["message": "\(mail.messageID)", "problem": "\(failure.reason)"])
    }
}
