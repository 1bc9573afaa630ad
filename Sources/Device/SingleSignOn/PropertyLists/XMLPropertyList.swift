import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads XML property lists.
///
/// `PropertyListSerialization` is in the part of Foundation that adds 33 MB of Unicode data to a program, and
/// `PropertyListDecoder` reads a real without a fraction as an integer. libxml2 compares each attribute of a tag with all
/// others, so that a hostile file could keep the broker busy for minutes (docs/decisions/0039-property-lists.md). Document
/// types with declarations of their own are refused: the only entities are the five that XML predefines.
struct XMLPropertyList {
    private let bytes: [UInt8]
    private var index = 0

    typealias ReadingError = PropertyListValue.ReadingError

    static func read(_ data: Data) throws(ReadingError) -> PropertyListValue {
        var reader = XMLPropertyList(bytes: try utf8(data))
        try reader.skipProlog()
        let tag = try reader.openTag()
        guard tag.name == "plist" else {
            let value = try reader.value(tag, depth: 0)
            try reader.expectEnd()
            return value
        }
        guard !tag.isEmpty, let first = try reader.nextTag(in: "plist") else {
            throw reader.broken("<plist> is empty")
        }
        let value = try reader.value(first, depth: 0)
        guard try reader.nextTag(in: "plist") == nil else { throw reader.broken("<plist> has a second value") }
        try reader.expectEnd()
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The file's text, decoded by its byte order mark or by the encoding that its first line names.
    private static func utf8(_ data: Data) throws(ReadingError) -> [UInt8] {
        let encoding: String.Encoding
        if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) {
            encoding = .utf16
        } else {
            let head = String(decoding: data.prefix(200), as: UTF8.self).lowercased()
            encoding = head.contains(/encoding\s*=\s*["']iso-8859-1["']/) ? .isoLatin1 : .utf8
        }
        guard let text = String(data: data, encoding: encoding) else {
            throw .broken("its characters are not in the encoding that it names, or not in UTF-8.")
        }
        return Array(text.utf8.drop { $0 >= 0x80 })
    }

    // MARK: Values

    private struct Tag {
        let name: String
        /// `<name/>`
        let isEmpty: Bool
    }

    private mutating func value(_ tag: Tag, depth: Int) throws(ReadingError) -> PropertyListValue {
        guard depth < PropertyListValue.depthMax else { throw .tooDeep }
        switch tag.name {
        case "dict": return .dictionary(tag.isEmpty ? [:] : try entries(depth))
        case "array":
            var values: [PropertyListValue] = []
            while !tag.isEmpty, let next = try nextTag(in: "array") { values.append(try value(next, depth: depth + 1)) }
            return .array(values)
        case "true", "false":
            if !tag.isEmpty { guard try text(of: tag).isEmpty else { throw broken("<\(tag.name)> has a content") } }
            return .boolean(tag.name == "true")
        case "string": return .string(try text(of: tag))
        case "data":
            guard let data = Data(base64Encoded: try text(of: tag).filter { !$0.isWhitespace }) else {
                throw broken("<data> is not in base64")
            }
            return .data(data)
        case "integer": return .integer(try integer(try text(of: tag).trimmingWhitespace))
        case "real":
            guard let real = Self.real(try text(of: tag).trimmingWhitespace) else {
                throw broken("<real> is no number")
            }
            return try .init(real: real)
        case "date":
            guard let date = try? Date(try text(of: tag).trimmingWhitespace, strategy: .iso8601) else {
                throw broken("<date> is no date such as 2026-01-31T12:00:00Z")
            }
            return .date(date)
        default: throw broken("it has the unknown tag <\(String(tag.name.prefix(40)).printable())>")
        }
    }

    private mutating func entries(_ depth: Int) throws(ReadingError) -> [String: PropertyListValue] {
        var entries: [String: PropertyListValue] = [:]
        while let tag = try nextTag(in: "dict") {
            guard tag.name == "key" else { throw broken("a <dict> has a value without a <key>") }
            let key = try text(of: tag)
            guard let next = try nextTag(in: "dict") else { throw broken("the key “\(key.printable())” has no value") }
            // If a key occurs twice, the last one counts.
            entries[key] = try value(next, depth: depth + 1)
        }
        return entries
    }

    private func integer(_ text: String) throws(ReadingError) -> Int64 {
        let isNegative = text.hasPrefix("-")
        let digits = text.drop { $0 == "-" || $0 == "+" }
        guard text.count - digits.count <= 1, !digits.isEmpty else { throw broken("<integer> is no integer") }
        let isHexadecimal = digits.lowercased().hasPrefix("0x")
        let figures = isHexadecimal ? digits.dropFirst(2) : digits
        guard !figures.isEmpty, figures.allSatisfy({ isHexadecimal ? $0.isHexDigit : "0123456789".contains($0) }) else {
            throw broken("<integer> is no integer")
        }
        guard let integer = Int64((isNegative ? "-" : "") + figures, radix: isHexadecimal ? 16 : 10) else {
            throw .broken("it has an integer of more than 64 bits.")
        }
        return integer
    }

    private static func real(_ text: String) -> Double? {
        switch text.lowercased() {
        case "nan": .nan
        case "inf", "+inf", "infinity", "+infinity": .infinity
        case "-inf", "-infinity": -.infinity
        default: Double(text)
        }
    }

    // MARK: Tags and texts

    /// - Returns: nil at the end of the element.
    private mutating func nextTag(in element: String) throws(ReadingError) -> Tag? {
        try skipBetween()
        guard starts(with: "</") else { return try openTag() }
        try close(element)
        return nil
    }

    private mutating func openTag() throws(ReadingError) -> Tag {
        guard index < bytes.count else { throw endsEarly }
        guard bytes[index] == UInt8(ascii: "<") else { throw broken("there is text between tags") }
        let content = bytes[(index + 1)..<(try endOfTag())]
        let name = content.prefix { !Self.isSpace($0) && $0 != UInt8(ascii: "/") }
        let isEmpty = content.last == UInt8(ascii: "/")
        index = content.endIndex + 1
        return Tag(name: String(decoding: name, as: UTF8.self), isEmpty: isEmpty)
    }

    /// The index of the “>” that ends the tag at `index`. In quotes, as in an attribute, it does not. XML 1.0 §3.1.
    private func endOfTag() throws(ReadingError) -> Int {
        var quote: UInt8?
        for index in index..<bytes.count {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return index
            }
        }
        throw endsEarly
    }

    private mutating func close(_ element: String) throws(ReadingError) {
        guard let end = bytes[index...].firstIndex(of: UInt8(ascii: ">")) else { throw endsEarly }
        let name = String(decoding: bytes[(index + 2)..<end], as: UTF8.self).trimmingWhitespace
        guard name == element else {
            throw broken("<\(element)> is closed by </\(String(name.prefix(40)).printable())>")
        }
        index = end + 1
    }

    /// The text up to the closing tag, which is consumed too.
    private mutating func text(of tag: Tag) throws(ReadingError) -> String {
        guard !tag.isEmpty else { return "" }
        var content: [UInt8] = []
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "<"):
                if starts(with: "<![CDATA[") {
                    let start = index + 9
                    try skip(past: "]]>")
                    content += bytes[start..<(index - 3)]
                } else if starts(with: "<!--") {
                    try skip(past: "-->")
                } else if starts(with: "</") {
                    try close(tag.name)
                    return String(decoding: content, as: UTF8.self)
                } else {
                    throw broken("there is a tag in <\(tag.name)>")
                }
            case UInt8(ascii: "&"): content += try entity().utf8
            default:
                content.append(bytes[index])
                index += 1
            }
        }
        throw endsEarly
    }

    private mutating func entity() throws(ReadingError) -> String {
        guard let end = bytes[index...].prefix(16).firstIndex(of: UInt8(ascii: ";")) else {
            throw broken("“&” begins no entity; write &amp;")
        }
        let name = String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
        guard let text = Self.character(name) else { throw broken("the entity &\(name.printable()); is not known") }
        index = end + 1
        return text
    }

    private static func character(_ name: String) -> String? {
        if let known = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"][name] { return known }
        guard name.hasPrefix("#") else { return nil }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard digits.allSatisfy(\.isHexDigit), let number = UInt32(digits, radix: isHexadecimal ? 16 : 10), number > 0
        else { return nil }
        return Unicode.Scalar(number).map(String.init)
    }

    // MARK: Skipping

    private mutating func skipProlog() throws(ReadingError) {
        try skipBetween()
        guard starts(with: "<!DOCTYPE") else { return }
        let end = try endOfTag()
        guard !bytes[index..<end].contains(UInt8(ascii: "[")) else {
            throw broken("its document type has declarations of its own")
        }
        index = end + 1
        try skipBetween()
    }

    private mutating func expectEnd() throws(ReadingError) {
        try skipBetween()
        guard index == bytes.count else { throw broken("something follows the end") }
    }

    /// Skips spaces, comments and processing instructions.
    private mutating func skipBetween() throws(ReadingError) {
        while index < bytes.count {
            if Self.isSpace(bytes[index]) {
                index += 1
            } else if starts(with: "<!--") {
                try skip(past: "-->")
            } else if starts(with: "<?") {
                try skip(past: "?>")
            } else {
                return
            }
        }
    }

    private mutating func skip(past end: StaticString) throws(ReadingError) {
        while index < bytes.count {
            if starts(with: end) {
                index += end.utf8CodeUnitCount
                return
            }
            index += 1
        }
        throw endsEarly
    }

    private func starts(with text: StaticString) -> Bool {
        guard bytes.count - index >= text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { bytes[index...].starts(with: $0) }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    // MARK: Errors

    private func broken(_ reason: String) -> ReadingError {
        .broken("\(reason), in line \(bytes[..<index].count { $0 == 0x0A } + 1).")
    }

    private var endsEarly: ReadingError {
        let lines = bytes.split(separator: 0x0A).count
        return .broken("it ends after line \(lines), before all its tags are closed.")
    }
}
