import Storage

/// `application/x-www-form-urlencoded`, of queries and bodies.
enum FormEncoding {
    /// The pairs in order, duplicates included.
    /// - Returns: nil for a broken percent escape or bytes that are not UTF-8.
    static func decode(_ text: some StringProtocol) -> [(name: String, value: String)]? {
        var text = String(text)
        return text.withUTF8 { bytes in
            var pairs: [(name: String, value: String)] = []
            for pair in bytes.split(separator: UInt8(ascii: "&")) {
                let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
                guard let name = unescape(pair[..<end]), let value = unescape(pair[end...].dropFirst()) else {
                    return nil
                }
                pairs.append((name, value))
            }
            return pairs
        }
    }

    /// Nil for a broken escape or bytes that are not UTF-8.
    static func unescape(_ text: some StringProtocol) -> String? {
        var text = String(text)
        return text.withUTF8 { unescape($0[...]) }
    }

    private static func unescape(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
        // Most are plain, the longest among them: tokens are base64url.
        let plainEnd = text.firstIndex { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") } ?? text.endIndex
        guard plainEnd < text.endIndex else { return String(validating: text, as: UTF8.self) }
        var bytes = Array(text[..<plainEnd])
        bytes.reserveCapacity(text.count)
        var iterator = text[plainEnd...].makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = iterator.next(), let low = iterator.next(),
                    let value = [UInt8](hexadecimal: [high, low])
                else { return nil }
                bytes += value
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Percent-decodes a path segment, where `+` is itself.
    static func decodePathSegment(_ segment: some StringProtocol) -> String? {
        let escaped = segment.utf8.flatMap { $0 == UInt8(ascii: "+") ? Array("%2B".utf8) : [$0] }
        return escaped.withUnsafeBufferPointer { unescape($0[...]) }
    }
}
