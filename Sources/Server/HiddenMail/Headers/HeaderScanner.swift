/// Takes structured header values apart: quoted strings and comments hide what has a meaning elsewhere. RFC 5322 §3.2.
enum HeaderScanner {
    struct Malformed: Error {}

    /// Without comments, each of them a blank. What stands in quotes stays as it is, quotes included.
    /// - Throws: ``Malformed`` for a quoted string or a comment without end.
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

    /// The pieces between separators that do not stand in quotes; empty ones included.
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

    /// What a token or quoted string says.
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
