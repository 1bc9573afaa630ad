import Mail

/// What becomes of the headers of a message that passes the relay.
///
/// Only what is listed here gets through: whatever else mail programs write, today or one day, can hold an address that
/// the other side must not learn.
package struct HeaderRewriting: Equatable, Sendable {
    package enum Change: Equatable, Sendable {
        /// - index: counts the headers of this name from 1.
        case delete(name: String, index: Int)
        case replace(name: String, index: Int, value: String)
        case append(name: String, value: String)
    }

    /// In the order in which they have to be made: of one name, the last header first, so that numbers stay right.
    package let changes: [Change]

    /// The header that says that a message has passed; with the domain of the relay.
    package static let mark = "X-Lanyard-Relay"

    /// Every message needs these, in both directions.
    private static let common: Set<String> = [
        "subject", "date", "mime-version", "content-type", "content-transfer-encoding", "content-language",
        "content-disposition", "content-description", "content-id",
    ]

    /// From an app to a person.
    /// - Parameters:
    ///   - from: the address that stands for the app's, with the app's name.
    ///   - replyTo: the address that stands for the app's `Reply-To`; nil if answers go to the sender.
    ///   - to: the hidden address. Further recipients are left out: an answer to all would go past the relay.
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

    /// From a person to an app.
    /// - Parameters:
    ///   - from: the hidden address, all that the app learns of the person.
    ///   - to: the app's address.
    ///   - messageID: with angle brackets; the person's own names the machine that they write on.
    ///   - personDomain: of the person's address.
    package init(
        toApp headers: [HeaderField], from: MailAddress, to: MailAddress, messageID: String, personDomain: String,
        domain: String
    ) {
        // `References` holds ids of the person's own mails; which mail this one answers is enough.
        let answered = headers.first { $0.isNamed("in-reply-to") }.map(\.unfolded).flatMap { value in
            value.utf8.allSatisfy { (0x21...0x7e).contains($0) } && value.utf8.count <= 250 && value.hasPrefix("<")
                && value.hasSuffix(">") && !value.lowercased().contains(personDomain) ? value : nil
        }
        var values = ["from": "<\(from.text)>", "to": "<\(to.text)>", "message-id": messageID]
        values["in-reply-to"] = answered
        values["references"] = answered
        changes = Self.changes(of: headers, keeping: Self.common, setting: values, domain: domain)
    }

    /// Those parts of `List-Unsubscribe` that are on the Web; what is done by mail would show the person's address.
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
