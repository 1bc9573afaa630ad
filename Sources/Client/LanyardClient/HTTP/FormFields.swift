/// The fields of a query or of a form, decoded.
package struct FormFields: Sendable {
    private let values: [String: String]

    /// Nil if a name comes twice, or an escape is not UTF-8: such a form has two readings.
    /// - Parameter encoded: `name=value&…`
    package init?(_ encoded: String) {
        var values: [String: String] = [:]
        for pair in encoded.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(parts[0]), let value = Self.decode(parts.count > 1 ? parts[1] : ""),
                values.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        self.values = values
    }

    package subscript(name: String) -> String? { values[name] }

    /// `+` is a space here, as browsers write it.
    private static func decode(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"):
                bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default:
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}
