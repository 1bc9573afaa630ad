import Authorization
import Mail
import Storage

/// The senders that a team has registered.
struct SenderList {
    private let names: Set<String>

    init(of hidden: HiddenAddress, in transaction: some Transaction) throws {
        guard let team = hidden.teamID else {
            names = []
            return
        }
        names = Set(try RelaySender.list(of: team, in: transaction).map(\.name))
    }

    var isEmpty: Bool { names.isEmpty }

    func contains(_ address: MailAddress) -> Bool {
        names.contains(address.domain) || names.contains(address.folded)
    }

    func proves(_ message: MailRelay.Message, by author: MailAddress) -> Bool {
        Self.proves(message, by: author, envelopeMayBe: contains)
    }

    /// Whether SPF has passed for exactly the domain of the envelope sender, who has to be allowed to write here; or
    /// DKIM for a signature of exactly the domain in `From`.
    static func proves(
        _ message: MailRelay.Message, by author: MailAddress, envelopeMayBe isAllowed: (MailAddress) -> Bool
    ) -> Bool {
        if let envelope = try? MailAddress(message.envelopeSender), isAllowed(envelope),
            message.results.spf.count == 1, message.results.spf[0].outcome == .pass,
            message.results.spf[0].domain == envelope.domain
        {
            return true
        }
        return (message.results.dkim ?? []).contains { $0.outcome == .pass && $0.domain == author.domain }
    }
}
