/// A template in Mustache's language, taken apart once: variables, sections, inverted sections, comments, partials, and parents with
/// blocks. [Its specification](https://github.com/mustache/spec); what the pages do not use of it is an error: other delimiters,
/// partials that are indented, and names with dots but for sentences.
///
/// docs/decisions/0072-templates.md says why a library does not do this.
struct Template: Sendable {
    indirect enum Part: Sendable {
        /// UTF-8, written as it is.
        case text([UInt8])
        /// A value by its name, escaped; `.` is the value of the innermost section.
        case variable(String)
        /// A value that is not escaped.
        case raw(String)
        /// A sentence of the catalogue by its key: `{{text.section.name}}`.
        case sentence(String)
        case section(String, [Part])
        case inverted(String, [Part])
        /// Another template, in which these blocks take the place of its own.
        case partial(String, blocks: [String: [Part]])
        /// What stands there unless whoever uses this template has another block of the name.
        case block(String, [Part])
    }

    struct Problem: Error, CustomStringConvertible {
        /// 1-based.
        let line: Int
        let reason: String

        var description: String { "line \(line): \(reason)" }
    }

    let parts: [Part]

    /// - Throws: ``Problem``
    init(_ source: String) throws {
        var parser = TemplateParser(source)
        parts = try parser.parts(until: nil)
    }

    /// All parts, also those within others.
    var allParts: [Part] { Self.all(parts) }

    fileprivate static func all(_ parts: [Part]) -> [Part] {
        parts.flatMap { part -> [Part] in
            switch part {
            case .section(_, let inner), .inverted(_, let inner), .block(_, let inner): [part] + all(inner)
            case .partial(_, let blocks): [part] + blocks.values.flatMap(all)
            case .text, .variable, .raw, .sentence: [part]
            }
        }
    }
}

/// Reads a template from front to back.
private struct TemplateParser {
    private let bytes: [UInt8]
    private var position = 0

    private static let open = Array("{{".utf8)
    private static let newline = UInt8(ascii: "\n")

    init(_ source: String) { bytes = Array(source.utf8) }

    private struct Tag {
        /// `#` of a section, and so on; nil for a variable.
        let sign: UInt8?
        let name: String
    }

    /// The parts up to the tag that ends the section, which is read too; or up to the end.
    mutating func parts(until end: String?) throws -> [Template.Part] {
        var parts: [Template.Part] = []
        while true {
            let start = position
            guard let found = nextTag() else {
                guard end == nil else { throw problem("there is no {{/\(end!)}}") }
                append(bytes[start...], to: &parts)
                return parts
            }
            position = found
            let tag = try readTag()
            var text = bytes[start..<found]
            if tag.sign.map(Self.mayStandAlone) == true, let (line, next) = lineOfTag(from: found, from: start) {
                text = bytes[start..<line]
                position = next
            }
            append(text, to: &parts)
            switch tag.sign {
            case nil: parts.append(try variable(tag.name))
            case UInt8(ascii: "{"), UInt8(ascii: "&"): parts.append(.raw(try plain(tag.name)))
            case UInt8(ascii: "#"): parts.append(.section(try plain(tag.name), try self.parts(until: tag.name)))
            case UInt8(ascii: "^"): parts.append(.inverted(try plain(tag.name), try self.parts(until: tag.name)))
            case UInt8(ascii: "$"): parts.append(.block(try plain(tag.name), try self.parts(until: tag.name)))
            case UInt8(ascii: ">"): parts.append(.partial(try plain(tag.name), blocks: [:]))
            case UInt8(ascii: "<"): parts.append(try parent(tag.name))
            case UInt8(ascii: "!"): break
            case UInt8(ascii: "/"):
                guard tag.name == end else { throw problem("{{/\(tag.name)}} ends what was not begun") }
                return parts
            case let sign?: throw problem("a tag begins with \(Character(Unicode.Scalar(sign)))")
            }
        }
    }

    /// Reads what stands between the tags of a parent, of which only the blocks count.
    private mutating func parent(_ name: String) throws -> Template.Part {
        var blocks: [String: [Template.Part]] = [:]
        for case .block(let block, let parts) in try parts(until: name) {
            // It would stand in itself.
            let inner = Template.all(parts).contains { if case .block(block, _) = $0 { true } else { false } }
            guard !inner else { throw problem("the block \(block) has a block of the same name") }
            blocks[block] = parts
        }
        return .partial(try plain(name), blocks: blocks)
    }

    private func variable(_ name: String) throws -> Template.Part {
        let prefix = "text."
        if name.hasPrefix(prefix) { return .sentence(String(name.dropFirst(prefix.count))) }
        return .variable(try plain(name))
    }

    private func plain(_ name: String) throws -> String {
        guard !name.isEmpty else { throw problem("a tag has no name") }
        guard name == "." || !name.contains(".") else { throw problem("\(name) has a dot, and is no sentence") }
        return name
    }

    private func append(_ text: ArraySlice<UInt8>, to parts: inout [Template.Part]) {
        if !text.isEmpty { parts.append(.text(Array(text))) }
    }

    private func nextTag() -> Int? {
        var index = position
        while index + 1 < bytes.count {
            if bytes[index] == Self.open[0], bytes[index + 1] == Self.open[1] { return index }
            index += 1
        }
        return nil
    }

    /// Reads from `{{` to behind `}}`.
    private mutating func readTag() throws -> Tag {
        let begin = position
        var index = begin + 2
        guard index < bytes.count else { throw problem("a tag is not closed") }
        let signs = Set("#^/$<>!&{=%".utf8)
        let sign = signs.contains(bytes[index]) ? bytes[index] : nil
        if sign != nil { index += 1 }
        let close = Array((sign == UInt8(ascii: "{") ? "}}}" : "}}").utf8)
        var end = index
        while end + close.count <= bytes.count, !bytes[end...].starts(with: close) { end += 1 }
        guard end + close.count <= bytes.count else { throw problem("a tag is not closed") }
        position = end + close.count
        let name = String(decoding: bytes[index..<end], as: UTF8.self).filter { !$0.isWhitespace }
        return Tag(sign: sign, name: name)
    }

    /// A tag without a value takes its line along, if nothing else stands on it.
    private static func mayStandAlone(_ sign: UInt8) -> Bool { sign != UInt8(ascii: "{") && sign != UInt8(ascii: "&") }

    /// Where the line of a tag begins and the next one, if the tag, which ends at ``position``, stands alone on it.
    private func lineOfTag(from open: Int, from start: Int) -> (line: Int, next: Int)? {
        var line = open
        while line > 0, bytes[line - 1] != Self.newline {
            line -= 1
            guard Self.isSpace(bytes[line]) else { return nil }
        }
        var next = position
        while next < bytes.count, bytes[next] != Self.newline {
            guard Self.isSpace(bytes[next]) else { return nil }
            next += 1
        }
        return (max(line, start), min(next + 1, bytes.count))
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private func problem(_ reason: String) -> Template.Problem {
        Template.Problem(line: bytes[..<min(position, bytes.count)].count { $0 == Self.newline } + 1, reason: reason)
    }
}
