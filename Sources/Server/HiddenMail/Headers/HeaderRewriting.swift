import Mail

/// How the headers of a message are changed when it passes the relay.
///
/// Only the headers listed here pass. Any other header that a mail program writes, now or in future, may contain an
/// address that the other side must not learn.
package struct HeaderRewriting: Equatable, Sendable {
    package enum Change: Equatable, Sendable {
        /// - index: the number of the header among those of this name, from 1.
        case delete(name: String, index: Int)
        case replace(name: String, index: Int, value: String)
        case append(name: String, value: String)
    }

    /// The changes in the order in which they have to be made. Of several headers with the same name the last is
    /// changed first, so that the indices stay valid.
    package let changes: [Change]

    /// The header that marks a message that has passed the relay. Its value is the relay's domain.
    package static let mark = "X-Lanyard-Relay"

    /// Every message needs these, in both directions.
    private static let common: Set<String> = [
        "subject", "date", "mime-version", "content-type", "content-transfer-encoding", "content-language",
        "content-disposition", "content-description", "content-id",
    ]

    /// The changes for a message from an app to a person.
    /// - Parameters:
    ///   - from: the address that stands for the app's, with the app's name.
    ///   - replyTo: the address that stands for the app's `Reply-To`; nil if answers go to the sender.
    ///   - to: the hidden address. Further recipients are left out, because an answer to all would bypass the relay.
    package init(
        toPerson headers: [HeaderField], from: String, replyTo: String?, to: MailAddress, domain: String
    ) {
        let kept = Self.common.union([
            "received", "message-id", "in-reply-to", "references", "auto-submitted", "precedence", "list-id",
            "list-unsubscribe-post", "importance", "priority", "x-priority",
        ])
        var values = ["from": from, "to": "<\(to.text)>"]
        values["reply-to"] = replyTo
        values["list-unsubscribe"] = Self.webAddresses(headers.first { $0.isNamed("list-unsubscribe") })
        changes = Self.changes(of: headers, keeping: kept, setting: values, domain: domain)
    }

    /// The changes for a message from a person to an app.
    /// - Parameters:
    ///   - from: the hidden address, which is all that the app learns about the person.
    ///   - to: the app's address.
    ///   - messageID: with angle brackets. It replaces the person's own, which names the computer that they write on.
    ///   - personDomain: the domain of the person's address.
    package init(
        toApp headers: [HeaderField], from: MailAddress, to: MailAddress, messageID: String, personDomain: String,
        domain: String
    ) {
        // `References` holds ids of the person's own mails. `In-Reply-To` is enough to say which mail this one answers.
        let answered = headers.first { $0.isNamed("in-reply-to") }.map(\.unfolded).flatMap { value in
            value.utf8.allSatisfy { (0x21...0x7e).contains($0) } && value.utf8.count <= 250 && value.hasPrefix("<")
                && value.hasSuffix(">") && !value.lowercased().contains(personDomain) ? value : nil
        }
        var values = ["from": "<\(from.text)>", "to": "<\(to.text)>", "message-id": messageID]
        values["in-reply-to"] = answered
        values["references"] = answered
        changes = Self.changes(of: headers, keeping: Self.common, setting: values, domain: domain)
    }

    /// The web addresses in `List-Unsubscribe`. Unsubscribing by mail would reveal the person's address.
    private static func webAddresses(_ field: HeaderField?) -> String? {
        let addresses = (field?.unfolded ?? "").split(separator: ",").map { $0.trimmingBlanks }.filter {
            $0.lowercased().hasPrefix("<https://") && $0.hasSuffix(">")
                && $0.utf8.allSatisfy { (0x21...0x7e).contains($0) }
                && $0.utf8.count <= 900
        }
        return addresses.first
    }

    private static let spelling = [
        "from": "From", "to": "To", "reply-to": "Reply-To", "message-id": "Message-ID", "in-reply-to": "In-Reply-To",
        "references": "References", "list-unsubscribe": "List-Unsubscribe",
    ]

    private static func changes(
        of headers: [HeaderField], keeping kept: Set<String>, setting values: [String: String], domain: String
    ) -> [Change] {
        var counts: [String: Int] = [:]
        var changes: [Change] = []
        for header in headers {
            let name = header.name.lowercased()
            counts[name, default: 0] += 1
            let index = counts[name]!  // counted a line above
            if let value = values[name], index == 1 {
                changes.append(.replace(name: header.name, index: index, value: value))
            } else if values[name] != nil || !kept.contains(name) {
                changes.append(.delete(name: header.name, index: index))
            }
        }
        let missing = values.keys.filter { counts[$0] == nil }.sorted()
        return changes.reversed()
            + missing.compactMap { name in
                values[name].map { .append(name: spelling[name] ?? name, value: $0) }
            } + [.append(name: mark, value: domain)]
    }
}
