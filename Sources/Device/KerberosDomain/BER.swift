/// The Basic Encoding Rules (X.690), as far as LDAP and certificates need them: tags of one byte, and lengths that are told.
package struct BER {
    package static let boolean: UInt8 = 0x01
    package static let integer: UInt8 = 0x02
    package static let octets: UInt8 = 0x04
    package static let objectIdentifier: UInt8 = 0x06
    package static let enumerated: UInt8 = 0x0a
    package static let sequence: UInt8 = 0x30
    package static let set: UInt8 = 0x31

    private var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    // MARK: Reading

    /// The content of the next element, which is passed.
    /// - Returns: nil if there is none, it is cut short, or it has another tag; then nothing is passed.
    package mutating func content(_ tag: UInt8) -> ArraySlice<UInt8>? {
        var bytes = rest
        guard bytes.popFirst() == tag, let first = bytes.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            // One to four bytes of length follow. Microsoft writes four for each.
            guard (0x81...0x84).contains(first) else { return nil }
            length = 0
            for _ in 0..<(first & 0x7f) {
                guard let byte = bytes.popFirst() else { return nil }
                length = length << 8 | Int(byte)
            }
        }
        guard length <= bytes.count else { return nil }
        rest = bytes.dropFirst(length)
        return bytes.prefix(length)
    }

    /// The tag of the next element; nil if there is none.
    package var nextTag: UInt8? { rest.first }

    package mutating func enter(_ tag: UInt8) -> BER? { content(tag).map(BER.init) }

    /// - Returns: nil if it is none, or has more than 32 bits.
    package mutating func integer() -> Int32? {
        guard let bytes = content(Self.integer), (1...4).contains(bytes.count), let first = bytes.first else {
            return nil
        }
        return bytes.reduce(first >= 0x80 ? -1 : 0) { $0 << 8 | Int32($1) }
    }

    // MARK: Writing

    package static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        if count < 0x80 { return [tag, UInt8(count)] + content }
        var length: [UInt8] = []
        var left = count
        while left > 0 {
            length.insert(UInt8(left & 0xff), at: 0)
            left >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    package static func text(_ text: String) -> [UInt8] { element(octets, Array(text.utf8)) }

    /// - Parameter number: not negative.
    package static func integer(_ number: Int32) -> [UInt8] {
        var bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * (3 - Int32($0)))) }
        // As short as it can be, with a first bit that says that it is not negative.
        while bytes.count > 1, bytes[0] == 0, bytes[1] < 0x80 { bytes.removeFirst() }
        return element(integer, bytes)
    }
}
