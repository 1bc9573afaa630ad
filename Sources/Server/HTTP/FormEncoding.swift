import Storage

/// `application/x-www-form-urlencoded`, of queries and bodies.
enum FormEncoding {
    /// The pairs in order, duplicates included.
    /// - Returns: nil for a broken percent escape or bytes that are not UTF-8.
    static func decode(_ text: some StringProtocol) -> [(name: String, value: String)]? {
        var pairs: [(name: String, value: String)] = []
        for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = unescape(parts[0]), let value = parts.count > 1 ? unescape(parts[1]) : "" else {
                return nil
            }
            pairs.append((name, value))
        }
        return pairs
    }

    /// Nil for a broken escape or bytes that are not UTF-8.
    static func unescape(_ text: some StringProtocol) -> String? { unescape(text.utf8) }

    private static func unescape(_ text: some Collection<UInt8>) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var iterator = text.makeIterator()
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
        unescape(segment.utf8.flatMap { $0 == UInt8(ascii: "+") ? Array("%2B".utf8) : [$0] })
    }
}
