/// Guesses the encoding of text that is not UTF-8, so that the message can name it.
enum TextEncoding {
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Names the encoding of a file whose characters are wider than a byte, or returns nil. Without a byte order mark,
    /// the zero byte beside each ASCII letter of the header shows it.
    static func wideEncoding(of beginning: UnsafeBufferPointer<UInt8>) -> String? {
        if beginning.starts(with: [0xFF, 0xFE, 0, 0]) { return "UTF-32 (little-endian)" }
        if beginning.starts(with: [0, 0, 0xFE, 0xFF]) { return "UTF-32 (big-endian)" }
        if beginning.starts(with: [0xFF, 0xFE]) { return "UTF-16 (little-endian)" }
        if beginning.starts(with: [0xFE, 0xFF]) { return "UTF-16 (big-endian)" }
        guard beginning.count >= 4 else { return nil }
        switch (beginning[0], beginning[1], beginning[2], beginning[3]) {
        case (1..., 0, 1..., 0): return "UTF-16 (little-endian)"
        case (0, 1..., 0, 1...): return "UTF-16 (big-endian)"
        default: return nil
        }
    }

    /// Describes the encoding that a value which is not UTF-8 seems to be in.
    static func narrowEncoding(of value: UnsafeBufferPointer<UInt8>) -> String {
        // In Western single-byte encodings letters beyond ASCII mostly stand alone; in East Asian ones a character
        // takes two bytes, the first of them and often both beyond ASCII.
        let pairs = zip(value, value.dropFirst()).count { $0 >= 0x80 && $1 >= 0x80 }
        let high = value.count { $0 >= 0x80 }
        if pairs * 2 >= high { return "an East Asian encoding such as Shift JIS or EUC-KR" }
        return value.contains { (0x80...0x9F).contains($0) } ? "Windows-1252" : "Latin-1 (ISO 8859-1)"
    }

    /// Reads bytes that are not UTF-8 as Latin-1, in which each byte is a character, to show them.
    static func latin1(_ value: some Sequence<UInt8>) -> String {
        String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
    }
}
