/// One value of a row, as positions in the reader's buffer, and what was noticed while it was read.
struct CSVCell {
    var start: UnsafeMutablePointer<UInt8>
    var count: Int
    var traits: Traits

    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

    /// Whether the value is ASCII and written as it should be.
    var isPlain: Bool { traits.isSubset(of: .proper) }

    struct Traits: OptionSet {
        let rawValue: UInt16

        static let quoted = Traits(rawValue: 1 << 0)
        /// The value contained backslashes or doubled quotes as escapes; they are removed before the caller sees the
        /// cell.
        static let escaped = Traits(rawValue: 1 << 1)
        static let nonASCII = Traits(rawValue: 1 << 2)
        static let controlCharacter = Traits(rawValue: 1 << 3)
        /// A quote inside an unquoted value, or text after the closing quote.
        static let strayQuote = Traits(rawValue: 1 << 4)
        /// Space or tab before the value, which is not part of it.
        static let leadingSpace = Traits(rawValue: 1 << 5)
        /// Space or tab after the value, which is not part of it.
        static let trailingSpace = Traits(rawValue: 1 << 6)

        /// The traits that a well-formed ASCII value can have.
        static let proper: Traits = [.quoted, .escaped]
    }
}

/// The typographic quotes that word processors put in place of straight ones: “ ” „ ‟, U+201C to U+201F.
enum CurlyQuotes {
    static func begin(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        value.count >= 3 && value[0] == 0xE2 && value[1] == 0x80 && (0x9C...0x9F).contains(value[2])
    }
}
