/// A name and a value in a form.
package struct FormField: Hashable, Sendable, Codable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// `application/x-www-form-urlencoded`, the format of queries and form bodies. WHATWG URL §5.
package enum FormEncoding {
    package static let contentType = "application/x-www-form-urlencoded"

    // MARK: Writing

    package static func encode(_ fields: [FormField]) -> String {
        fields.map { "\(escape($0.name))=\(escape($0.value))" }.joined(separator: "&")
    }

    /// Escapes everything but RFC 3986's unreserved characters, so that the result can be used in a path as well.
    package static func escape(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                escaped += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return escaped
    }

    // MARK: Reading

    /// The fields in order, with duplicates. Strict, for requests whose sender must encode them correctly.
    /// - Returns: nil for a malformed percent-escape or bytes that are not UTF-8, since other programs may read such
    ///   text differently.
    package static func decode(_ text: String) -> [FormField]? {
        var text = text
        return text.withUTF8 { bytes in
            var fields: [FormField] = []
            var start = 0
            while start < bytes.count {
                var end = start
                var nameEnd: Int?
                // Most names and values have no escape, in particular tokens, which are the longest.
                var isPlain = true
                while end < bytes.count, bytes[end] != UInt8(ascii: "&") {
                    switch bytes[end] {
                    case UInt8(ascii: "=") where nameEnd == nil: nameEnd = end
                    case UInt8(ascii: "%"), UInt8(ascii: "+"): isPlain = false
                    default: break
                    }
                    end += 1
                }
                if start < end {
                    let name = bytes[start..<(nameEnd ?? end)]
                    let value = bytes[(nameEnd.map { $0 + 1 } ?? end)..<end]
                    if isPlain {
                        // They are parts of a text between two ASCII characters, and so texts themselves.
                        fields.append(FormField(Self.text(name), Self.text(value)))
                    } else {
                        guard let name = unescape(name), let value = unescape(value) else { return nil }
                        fields.append(FormField(name, value))
                    }
                }
                start = end + 1
            }
            return fields
        }
    }

    private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
    }

    /// The fields in order, as a browser reads them: a malformed escape stands for itself, and bytes that are not UTF-8
    /// become U+FFFD. For forms that a device only passes on and has no reason to refuse.
    package static func decodeAsBrowsersDo(_ text: String) -> [FormField] {
        text.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            return FormField(unescapeAsBrowsersDo(pair[..<end]), unescapeAsBrowsersDo(pair[end...].dropFirst()))
        }
    }

    /// Decodes one name or value.
    /// - Returns: nil for a broken escape or bytes that are not UTF-8.
    package static func unescape(_ text: String) -> String? {
        var text = text
        return text.withUTF8 { unescape($0[...]) }
    }

    /// Percent-decodes a path segment, in which `+` is a literal plus sign.
    /// - Returns: nil for a broken escape or bytes that are not UTF-8.
    package static func decodePathSegment(_ segment: String) -> String? {
        let escaped = segment.utf8.flatMap { $0 == UInt8(ascii: "+") ? Array("%2B".utf8) : [$0] }
        return escaped.withUnsafeBufferPointer { unescape($0[...]) }
    }

    private static func unescape(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            switch text[index] {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard index + 2 < text.endIndex, let high = UInt8(hexadecimalDigit: text[index + 1]),
                    let low = UInt8(hexadecimalDigit: text[index + 2])
                else { return nil }
                bytes.append(high << 4 | low)
                index += 2
            case let byte: bytes.append(byte)
            }
            index += 1
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func unescapeAsBrowsersDo(_ text: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "+") {
                bytes.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%"), rest.count >= 2, let code = [UInt8](hexadecimal: rest.prefix(2)) {
                bytes += code
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
