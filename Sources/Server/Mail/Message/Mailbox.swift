/// An address with a name, as headers show it: `Maple District <id@maple.example>`. RFC 5322 §3.4.
package struct Mailbox: Equatable, Sendable {
    /// May contain any characters; nil if there is no name.
    package let name: String?
    package let address: MailAddress

    package init(name: String?, address: MailAddress) {
        self.name = name
        self.address = address
    }

    /// Reads the value of a setting: an address, or a name and an address in angle brackets. The name may be quoted.
    /// - Throws: ``MailAddress/Problem`` if the address is refused.
    package init(_ text: String) throws {
        guard text.hasSuffix(">"), let open = text.lastIndex(of: "<") else {
            self.init(name: nil, address: try MailAddress(text))
            return
        }
        var name = text[..<open].drop { $0 == " " }
        while name.last == " " { name.removeLast() }
        if name.count >= 2, name.first == "\"", name.last == "\"" { name = name.dropFirst().dropLast() }
        self.init(
            name: name.isEmpty ? nil : String(name),
            address: try MailAddress(String(text[text.index(after: open)...].dropLast())))
    }

    /// The value of a header, folded.
    package var headerText: String {
        guard let name else { return address.text }
        return "\(HeaderText.phrase(name)) <\(address.text)>"
    }
}
