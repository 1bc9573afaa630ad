/// One header of a message as it arrived.
package struct HeaderField: Equatable, Sendable {
    package let name: String
    /// The value, still folded, without the blank after the colon.
    package let value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    package func isNamed(_ name: String) -> Bool { self.name.lowercased() == name }

    /// Whether the name is visible ASCII without a colon, as RFC 5322 §2.2 requires.
    package var hasPlainName: Bool {
        !name.isEmpty && name.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: ":") }
    }

    /// The value on one line.
    package var unfolded: String {
        let parts = value.split(whereSeparator: { $0 == "\r\n" || $0 == "\n" || $0 == "\r" })
        return parts.joined().trimmingBlanks
    }
}

extension StringProtocol {
    /// The text without spaces and tabs at its ends.
    var trimmingBlanks: String {
        var text = self[...]
        while let first = text.first, first == " " || first == "\t" { text = text.dropFirst() }
        while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
        return String(text)
    }
}
