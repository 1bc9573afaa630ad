import Authorization
import Directory
import Foundation
import Ground
import Mail
import Storage

/// The rules of the relay: who may write to whom, and what each side gets to see. The mail server asks, and does the
/// rest.
///
/// An app writes to a hidden address. The team of the address must have registered the sender, and the sender must be
/// verified by SPF or DKIM. The person gets the mail from an address that stands for the app's, and answers to that;
/// the app gets the answer from the hidden address. Neither side sees the other's real address, nor a bounce that names
/// it.
package struct MailRelay: Sendable {
    private let database: any Database
    private let surroundings: Surroundings
    /// Lower case.
    package let domain: String
    /// Whether the verifiers report a failing name server as such, and not as a missing proof.
    private let verifiersTellFailures: @Sendable () -> Bool

    package init(
        database: any Database, surroundings: Surroundings, domain: String,
        verifiersTellFailures: @escaping @Sendable () -> Bool
    ) {
        self.database = database
        self.surroundings = surroundings
        self.domain = domain
        self.verifiersTellFailures = verifiersTellFailures
    }

    /// The envelope sender of mail to people. Bounces to it name their addresses, and are thrown away.
    package var bounceAddress: String { "bounces@\(domain)" }

    /// Why a mail is refused, as its sender is told.
    package enum Refusal: Error, Equatable, Sendable, CaseIterable {
        case unknownRecipient
        case unauthorizedSender
        case notThePerson
        case automaticAnswer
        case loop
        case malformed

        /// SMTP status, enhanced status (RFC 3463) and text.
        package var reply: (status: Int, enhanced: String, text: String) {
            switch self {
            case .unknownRecipient: (550, "5.1.1", "There is no such address, or it takes no mail any more")
            case .unauthorizedSender:
                (
                    550, "5.1.1",
                    "Unauthorized sender: the sender must be registered for the app and pass SPF or DKIM"
                )
            case .notThePerson:
                (550, "5.7.1", "Unauthorized sender: only the person this address was made for can write to it")
            case .automaticAnswer: (550, "5.7.1", "Automatic answers are not forwarded")
            case .loop: (554, "5.4.6", "The message has passed this relay before")
            case .malformed: (550, "5.6.0", "The message needs exactly one readable From address")
            }
        }

        package var text: String { "\(reply.status) \(reply.enhanced) \(reply.text)" }
    }

    /// A message whose content has arrived, with the results of the verifiers.
    package struct Message: Sendable {
        /// The sender given to SMTP; empty for a bounce.
        package let envelopeSender: String
        package let recipient: String
        package let headers: [HeaderField]
        package let results: AuthenticationResults

        package init(
            envelopeSender: String, recipient: String, headers: [HeaderField], results: AuthenticationResults
        ) {
            self.envelopeSender = envelopeSender
            self.recipient = recipient
            self.headers = headers
            self.results = results
        }
    }

    package enum Decision: Equatable, Sendable {
        /// Forward the mail with another envelope sender and other headers.
        case forward(envelopeSender: String, HeaderRewriting)
        /// Pass the mail unchanged: it goes to the operator, or is thrown away.
        case leave
        case refuse(Refusal)
        /// A verifier could not find out, so the sender is to try again.
        case tryLater
    }
}

extension MailRelay {
    /// Where mail to an address of the relay goes; nil if there is no such address, or it takes no mail.
    package func destination(of address: String) async throws -> String? {
        guard isOwn(address) else { return nil }
        return try await database.read { transaction in
            switch try RelayRecipient.find(address, in: transaction) {
            case .hidden(_, let person): person.text
            case .reply(let reply, _, _): reply.sender
            case nil: nil
            }
        }
    }

    /// Whether the envelope of a mail is a reason to refuse it; nil if it is not.
    package func refusal(sender: String, recipient: String) async throws -> Refusal? {
        if isBounceAddress(recipient) { return sender.isEmpty ? nil : .unknownRecipient }
        if isOperator(recipient) { return nil }
        guard isOwn(recipient) else { return .unknownRecipient }
        // Mail from the relay to itself would loop.
        if isOwn(sender) { return .loop }
        return try await database.read { transaction in
            switch try RelayRecipient.find(recipient, in: transaction) {
            case .hidden(let hidden, _):
                try SenderList(of: hidden, in: transaction).isEmpty ? .unauthorizedSender : nil
            case .reply(_, _, let person):
                // A bounce has no sender, and is refused here: it would reveal to the app where the person's mail goes.
                sender.split(separator: "@").last?.lowercased() == person.domain ? nil : .notThePerson
            case nil: .unknownRecipient
            }
        }
    }

    /// Whether a mail is forwarded, and with which sender and headers. Asked when all of it has arrived.
    package func decision(on message: Message) async throws -> Decision {
        if isBounceAddress(message.recipient) {
            return message.envelopeSender.isEmpty ? .leave : .refuse(.unknownRecipient)
        }
        if isOperator(message.recipient) { return .leave }
        guard isOwn(message.recipient) else { return .refuse(.unknownRecipient) }
        if let mark = message.headers.first(where: { $0.isNamed(HeaderRewriting.mark.lowercased()) }),
            mark.unfolded.lowercased() == domain
        {
            return .refuse(.loop)
        }
        // A header whose name is not plain could not be removed by name.
        guard message.headers.allSatisfy(\.hasPlainName) else { return .refuse(.malformed) }
        let authors = message.headers.filter { $0.isNamed("from") }
        guard authors.count == 1, let author = Author(authors[0]) else { return .refuse(.malformed) }
        guard author.address.domain != domain, !isOwn(message.envelopeSender) else { return .refuse(.loop) }
        let ruling = try await database.write { transaction -> Ruling in
            switch try RelayRecipient.find(message.recipient, in: transaction) {
            case .hidden(let hidden, _): try toPerson(message, by: author, at: hidden, in: transaction)
            case .reply(let reply, let hidden, let person):
                try toApp(message, by: author, reply: reply, hidden: hidden, person: person, in: transaction)
            case nil: .decided(.refuse(.unknownRecipient))
            }
        }
        switch ruling {
        case .decided(let decision): return decision
        case .unproven(let refusal):
            // Looking for the verifiers reads the disk. Within the transaction it would delay all writers. A mail is
            // refused for good only if the missing proof cannot come later.
            return message.results.isInconclusive || !verifiersTellFailures() ? .tryLater : .refuse(refusal)
        }
    }
}

extension MailRelay {
    /// What the transaction has found out about a mail.
    private enum Ruling: Sendable {
        case decided(Decision)
        /// The mail is not verified, for which it is refused with this text, or deferred.
        case unproven(Refusal)
    }

    private func toPerson(
        _ message: Message, by author: Author, at hidden: HiddenAddress, in transaction: WriteTransaction
    ) throws -> Ruling {
        let senders = try SenderList(of: hidden, in: transaction)
        guard senders.contains(author.address) else { return .decided(.refuse(.unauthorizedSender)) }
        guard senders.proves(message, by: author.address) else { return .unproven(.unauthorizedSender) }
        let now = surroundings.now()
        func standIn(for sender: MailAddress) throws -> String {
            try ReplyAddress.findOrInsert(
                for: sender, at: hidden, domain: domain, now: now, from: surroundings, in: transaction
            ).address
        }
        let name = author.headerPhrase ?? HeaderText.phrase("\(author.address.localPart) at \(author.address.domain)")
        // Answers go to registered senders only, so that an app cannot make people write to somebody else.
        let replyTo = message.headers.filter { $0.isNamed("reply-to") }
        let answered = replyTo.count == 1 ? Author(replyTo[0])?.address : nil
        let rewriting = HeaderRewriting(
            toPerson: message.headers, from: "\(name) <\(try standIn(for: author.address))>",
            replyTo: try answered.flatMap {
                $0 != author.address && senders.contains($0) ? "<\(try standIn(for: $0))>" : nil
            },
            to: try MailAddress(hidden.address), domain: domain)
        return .decided(.forward(envelopeSender: bounceAddress, rewriting))
    }

    private func toApp(
        _ message: Message, by author: Author, reply: ReplyAddress, hidden: HiddenAddress, person: MailAddress,
        in transaction: WriteTransaction
    ) throws -> Ruling {
        guard author.address.folded == person.folded else { return .decided(.refuse(.notThePerson)) }
        let isAutomatic = message.headers.contains {
            $0.isNamed("auto-submitted") && $0.unfolded.lowercased() != "no"
        }
        guard !isAutomatic, !message.envelopeSender.isEmpty else {
            return .decided(.refuse(.automaticAnswer))
        }
        guard SenderList.proves(message, by: person, envelopeMayBe: { $0.folded == person.folded }) else {
            return .unproven(.notThePerson)
        }
        try reply.noteUse(at: surroundings.now(), in: transaction)
        let id = RandomName.make(length: 24, from: surroundings)
        let rewriting = HeaderRewriting(
            toApp: message.headers, from: try MailAddress(hidden.address), to: try MailAddress(reply.sender),
            messageID: "<\(id)@\(domain)>", personDomain: person.domain, domain: domain)
        return .decided(.forward(envelopeSender: hidden.address, rewriting))
    }

    private func isOwn(_ address: String) -> Bool {
        address.split(separator: "@", omittingEmptySubsequences: false).last?.lowercased() == domain
    }

    private func isBounceAddress(_ address: String) -> Bool { address.lowercased() == bounceAddress }

    /// The addresses that RFC 2142 requires; the mail server knows where they go.
    private func isOperator(_ address: String) -> Bool {
        ["postmaster@\(domain)", "abuse@\(domain)"].contains(address.lowercased())
    }
}
