/// The encoding of a mail's text, in which ASCII stays legible in the source. RFC 2045 §6.7.
enum QuotedPrintable {
    /// - Parameter text: may have any kind of line break.
    /// - Returns: ASCII, lines of at most 76 characters, separated by CRLF, with one at the end.
    static func encode(_ text: String) -> String {
        var result: [UInt8] = []
        for line in lines(of: text) {
            var width = 0
            for (index, byte) in line.enumerated() {
                let isLast = index == line.count - 1
                let token = encode(byte, isLastOfLine: isLast)
                // One column stays free for the `=` of a soft line break.
                if width + token.count > (isLast ? 76 : 75) {
                    result += Array("=\r\n".utf8)
                    width = 0
                }
                result += token
                width += token.count
            }
            result += Array("\r\n".utf8)
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// CRLF, CR and LF all end a line; the last line may have no end.
    private static func lines(of text: String) -> [[UInt8]] {
        let normal = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        var lines = normal.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    private static func encode(_ byte: UInt8, isLastOfLine: Bool) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "="): break
        case 0x21...0x7e: return [byte]
        // At the end of a line they are encoded, because mail servers may remove them there.
        case UInt8(ascii: " ") where !isLastOfLine, UInt8(ascii: "\t") where !isLastOfLine: return [byte]
        default: break
        }
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
