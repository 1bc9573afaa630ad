/// Parses structured header values. Within quoted strings and comments, separators have no meaning. RFC 5322 §3.2.
enum HeaderScanner {
    struct Malformed: Error {}

    /// The text with each comment replaced by a space. Quoted strings are kept, with their quotes.
    /// - Throws: ``Malformed`` for a quoted string or a comment without an end.
    static func withoutComments(_ text: String) throws -> [UInt8] {
        var result: [UInt8] = []
        var depth = 0
        var isQuoted = false
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            switch byte {
            case UInt8(ascii: "\\") where isQuoted || depth > 0:
                guard let escaped = bytes.next() else { throw Malformed() }
                if isQuoted { result += [byte, escaped] }
            case UInt8(ascii: "\"") where depth == 0:
                isQuoted.toggle()
                result.append(byte)
            case UInt8(ascii: "(") where !isQuoted:
                depth += 1
                if depth == 1 { result.append(UInt8(ascii: " ")) }
            case UInt8(ascii: ")") where !isQuoted:
                depth -= 1
                guard depth >= 0 else { throw Malformed() }
            default:
                if depth == 0 { result.append(byte) }
            }
        }
        guard depth == 0, !isQuoted else { throw Malformed() }
        return result
    }

    /// The parts between separators outside of quotes, including empty parts.
    static func split(_ bytes: [UInt8], at isSeparator: (UInt8) -> Bool) -> [[UInt8]] {
        var pieces: [[UInt8]] = [[]]
        var isQuoted = false
        var isEscaped = false
        for byte in bytes {
            if isSeparator(byte), !isQuoted {
                pieces.append([])
                continue
            }
            pieces[pieces.count - 1].append(byte)
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\"), isQuoted {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            }
        }
        return pieces
    }

    /// The text of a token or a quoted string, without quotes and escapes.
    static func unquoted(_ bytes: [UInt8]) -> String {
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return String(decoding: bytes, as: UTF8.self)
        }
        var result: [UInt8] = []
        var isEscaped = false
        for byte in bytes.dropFirst().dropLast() {
            if byte == UInt8(ascii: "\\"), !isEscaped {
                isEscaped = true
            } else {
                isEscaped = false
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
