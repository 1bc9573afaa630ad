import Authorization
import Directory
import Foundation
import Ground
import Mail
import Storage

/// The rule of the relay: who may write to whom, and what the other side gets to see. The mail server asks, and does the
/// rest.
///
/// An app writes to a hidden address. The team of the address must have registered the sender, and the sender must be
/// proven, by SPF or by DKIM. The person gets the mail from an address that stands for the app's, and answers to that;
/// the app gets the answer from the hidden address. Neither sees the other's own address, nor a bounce that names it.
package struct MailRelay: Sendable {
    private let database: any Database
    private let surroundings: Surroundings
    /// Lower case.
    package let domain: String
    /// Whether the verifiers say of a failing name server that it failed, and not that there is no proof.
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

    /// The envelope sender of what goes to people. What comes back to it names their addresses and is thrown away.
    package var bounceAddress: String { "bounces@\(domain)" }

    /// Why a mail is not taken, for the one who sent it.
    package enum Refusal: Error, Equatable, Sendable, CaseIterable {
        case unknownRecipient
        case unauthorizedSender
        case notThePerson
        case automaticAnswer
        case loop
        case malformed

        /// Status, enhanced status and words. RFC 3463.
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

    /// A message whose content has arrived, with what the verifiers found.
    package struct Message: Sendable {
        /// As SMTP has it; empty for a bounce.
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

    package enum Verdict: Equatable, Sendable {
        /// To be sent on with another envelope sender and other headers.
        case forward(envelopeSender: String, HeaderRewriting)
        /// Nothing is changed: it is for the operator, or thrown away.
        case leave
        case refuse(Refusal)
        /// A verifier could not find out; the sender tries again.
        case tryLater
    }
}

extension MailRelay {
    /// Where mail to an address of the relay goes; nil if it is none, or takes no mail.
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

    /// Whether a mail may come further, as far as its envelope tells. Nil: it may.
    package func refusal(sender: String, recipient: String) async throws -> Refusal? {
        if isBounceAddress(recipient) { return sender.isEmpty ? nil : .unknownRecipient }
        if isOperator(recipient) { return nil }
        guard isOwn(recipient) else { return .unknownRecipient }
        // Nobody writes from the relay to the relay.
        if isOwn(sender) { return .loop }
        return try await database.read { transaction in
            switch try RelayRecipient.find(recipient, in: transaction) {
            case .hidden(let hidden, _):
                try SenderList(of: hidden, in: transaction).isEmpty ? .unauthorizedSender : nil
            case .reply(_, _, let person):
                // A bounce has no sender. It would tell the app where the person's mail goes.
                sender.split(separator: "@").last?.lowercased() == person.domain ? nil : .notThePerson
            case nil: .unknownRecipient
            }
        }
    }

    /// What becomes of a mail, now that all of it is known.
    package func verdict(on message: Message) async throws -> Verdict {
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
        // A header that cannot be named cannot be taken out either.
        guard message.headers.allSatisfy(\.hasPlainName) else { return .refuse(.malformed) }
        let authors = message.headers.filter { $0.isNamed("from") }
        guard authors.count == 1, let author = Author(authors[0]) else { return .refuse(.malformed) }
        guard author.address.domain != domain, !isOwn(message.envelopeSender) else { return .refuse(.loop) }
        let ruling = try await database.write { transaction -> Ruling in
            switch try RelayRecipient.find(message.recipient, in: transaction) {
            case .hidden(let hidden, _): try toPerson(message, by: author, at: hidden, in: transaction)
            case .reply(let reply, let hidden, let person):
                try toApp(message, by: author, reply: reply, hidden: hidden, person: person, in: transaction)
            case nil: .verdict(.refuse(.unknownRecipient))
            }
        }
        switch ruling {
        case .verdict(let verdict): return verdict
        case .unproven(let refusal):
            // Looking for the verifiers takes the disk, and in the transaction everybody who writes would wait for that. A mail
            // is refused for good only if the proof that it lacks cannot come later.
            return message.results.isInconclusive || !verifiersTellFailures() ? .tryLater : .refuse(refusal)
        }
    }
}

extension MailRelay {
    /// What the database has to say about a mail.
    private enum Ruling: Sendable {
        case verdict(Verdict)
        /// It lacks the proof without which it is refused, with these words.
        case unproven(Refusal)
    }

    private func toPerson(
        _ message: Message, by author: Author, at hidden: HiddenAddress, in transaction: WriteTransaction
    ) throws -> Ruling {
        let senders = try SenderList(of: hidden, in: transaction)
        guard senders.contains(author.address) else { return .verdict(.refuse(.unauthorizedSender)) }
        guard senders.proves(message, by: author.address) else { return .unproven(.unauthorizedSender) }
        let now = surroundings.now()
        func standIn(for sender: MailAddress) throws -> String {
            try ReplyAddress.findOrInsert(
                for: sender, at: hidden, domain: domain, now: now, from: surroundings, in: transaction
            ).address
        }
        let name = author.headerPhrase ?? HeaderText.phrase("\(author.address.localPart) at \(author.address.domain)")
        // Answers go to registered senders only: an app cannot make people write to somebody else.
        let replyTo = message.headers.filter { $0.isNamed("reply-to") }
        let answered = replyTo.count == 1 ? Author(replyTo[0])?.address : nil
        let rewriting = HeaderRewriting(
            toPerson: message.headers, from: "\(name) <\(try standIn(for: author.address))>",
            replyTo: try answered.flatMap {
                $0 != author.address && senders.contains($0) ? "<\(try standIn(for: $0))>" : nil
            },
            to: try MailAddress(hidden.address), domain: domain)
        return .verdict(.forward(envelopeSender: bounceAddress, rewriting))
    }

    private func toApp(
        _ message: Message, by author: Author, reply: ReplyAddress, hidden: HiddenAddress, person: MailAddress,
        in transaction: WriteTransaction
    ) throws -> Ruling {
        guard author.address.folded == person.folded else { return .verdict(.refuse(.notThePerson)) }
        let isAutomatic = message.headers.contains {
            $0.isNamed("auto-submitted") && $0.unfolded.lowercased() != "no"
        }
        guard !isAutomatic, !message.envelopeSender.isEmpty else {
            return .verdict(.refuse(.automaticAnswer))
        }
        guard SenderList.proves(message, by: person, envelopeMayBe: { $0.folded == person.folded }) else {
            return .unproven(.notThePerson)
        }
        try reply.noteUse(at: surroundings.now(), in: transaction)
        let id = RandomName.make(length: 24, from: surroundings)
        let rewriting = HeaderRewriting(
            toApp: message.headers, from: try MailAddress(hidden.address), to: try MailAddress(reply.sender),
            messageID: "<\(id)@\(domain)>", personDomain: person.domain, domain: domain)
        return .verdict(.forward(envelopeSender: hidden.address, rewriting))
    }

    private func isOwn(_ address: String) -> Bool {
        address.split(separator: "@", omittingEmptySubsequences: false).last?.lowercased() == domain
    }

    private func isBounceAddress(_ address: String) -> Bool { address.lowercased() == bounceAddress }

    /// Those that RFC 2142 asks for: the mail server knows where they go.
    private func isOperator(_ address: String) -> Bool {
        ["postmaster@\(domain)", "abuse@\(domain)"].contains(address.lowercased())
    }
}
