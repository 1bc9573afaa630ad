/// The typographic quotes that word processors put in place of straight ones: “ ” „ ‟, U+201C to U+201F.
enum CurlyQuotes {
    static func begin(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        value.count >= 3 && value[0] == 0xE2 && value[1] == 0x80 && (0x9C...0x9F).contains(value[2])
    }
}
