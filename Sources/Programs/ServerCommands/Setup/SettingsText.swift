import CommandOutput
import Foundation
import Ground

/// The text of a settings file, in which single values are changed. Everything else stays as it is written: order, indentation, and
/// members that this program does not know.
struct SettingsText: Equatable {
    private(set) var text: String

    /// - Parameter text: nil for a file that does not exist.
    /// - Throws: ``Failure`` if it is no JSON object, or has a member twice, so that nobody can say which of the two counts.
    init(_ text: String?) throws {
        self.text = text ?? "{}\n"
        guard case .object = try? JSONValue(reading: Data(self.text.utf8)) else {
            throw Failure("The settings are no JSON object. Correct the file, or move it away.")
        }
        try Self.checkNames(of: try object(at: []) ?? [])
        for member in try object(at: []) ?? [] {
            let inside = try object(at: [member.name]) ?? []
            try Self.checkNames(of: inside)
            for one in inside { try Self.checkNames(of: try object(at: [member.name, one.name]) ?? []) }
        }
    }

    /// The value at a path, such as `["mail", "from"]`; nil if there is none.
    func value(_ path: [String]) -> JSONValue? {
        guard let whole = try? JSONValue(reading: Data(text.utf8)) else { return nil }
        return path.reduce(whole) { value, name in value?.fields?[name] }
    }

    /// Puts a text at a path, in place of the value that is there. Objects on the way are made.
    /// - Throws: ``Failure`` if a value on the way is no object.
    mutating func set(_ path: [String], to value: String) throws {
        guard self.value(path) != .string(value) else { return }
        let (depth, members) = try deepest(path)
        let bytes = Array(text.utf8)
        if depth == path.count - 1, let member = members.last(where: { $0.name == path[depth] }) {
            return replace(member.value, with: Self.quoted(value))
        }
        let place = try place(of: Array(path[..<depth]))
        var member = Self.quoted(value)
        for name in path[(depth + 1)...].reversed() { member = "{\(Self.quoted(name)): \(member)}" }
        member = "\(Self.quoted(path[depth])): \(member)"
        guard let last = members.last else {
            // The braces of an empty object; at the top its member gets a line of its own.
            return replace(place, with: depth == 0 ? "{\n  \(member)\n}" : "{\(member)}")
        }
        // Whatever stands before the last member's name, such as a line break and spaces, stands before the new one too.
        var start = last.whole.lowerBound
        while start > 0, Self.isSpace(bytes[start - 1]) { start -= 1 }
        let gap = String(decoding: bytes[start..<last.whole.lowerBound], as: UTF8.self)
        let separator = members.count == 1 && gap.isEmpty ? " " : gap
        replace(last.value.upperBound..<last.value.upperBound, with: ",\(separator)\(member)")
    }

    /// Takes a member away, if it is there.
    mutating func remove(_ path: [String]) throws {
        guard value(path) != nil else { return }
        let (depth, members) = try deepest(path)
        guard depth == path.count - 1, let index = members.firstIndex(where: { $0.name == path[depth] }) else { return }
        var range = members[index].whole
        if index + 1 < members.count {
            // With the comma behind it, up to the next member.
            range = range.lowerBound..<members[index + 1].whole.lowerBound
        } else if index > 0 {
            range = members[index - 1].value.upperBound..<range.upperBound
        } else {
            range = try place(of: Array(path[..<depth]))
            return replace(range, with: "{}")
        }
        replace(range, with: "")
    }

    // MARK: Places in the text

    /// Offsets in UTF-8.
    private struct Member {
        let name: String
        /// From the quote before the name to the end of the value.
        let whole: Range<Int>
        let value: Range<Int>
    }

    private mutating func replace(_ range: Range<Int>, with new: String) {
        var bytes = Array(text.utf8)
        bytes.replaceSubrange(range, with: Array(new.utf8))
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// How many names of a path lead through objects that exist, all but the last one, and the members of the object that they lead to.
    private func deepest(_ path: [String]) throws -> (depth: Int, members: [Member]) {
        var members = try object(at: []) ?? []
        for depth in 0..<(path.count - 1) {
            guard members.contains(where: { $0.name == path[depth] }) else { return (depth, members) }
            guard let next = try object(at: Array(path[...depth])) else {
                throw Failure(
                    "The setting \(path[...depth].joined(separator: ".")) is no JSON object. Correct the file, or move it away."
                )
            }
            members = next
        }
        return (path.count - 1, members)
    }

    /// Where the object at a path stands, with its braces.
    private func place(of path: [String]) throws -> Range<Int> {
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count, bytes[start] != UInt8(ascii: "{") { start += 1 }
        var range = start..<Self.endOfValue(bytes, start)
        for name in path {
            guard let member = Self.members(bytes, range).last(where: { $0.name == name }) else {
                throw Failure("The setting \(path.joined(separator: ".")) is not there.")
            }
            range = member.value
        }
        return range
    }

    /// The members of the object at a path; nil if something else is there.
    private func object(at path: [String]) throws -> [Member]? {
        let range = try place(of: path)
        let bytes = Array(text.utf8)
        return bytes[range.lowerBound] == UInt8(ascii: "{") ? Self.members(bytes, range) : nil
    }

    private static func checkNames(of members: [Member]) throws {
        var seen: Set<String> = []
        if let twice = members.first(where: { !seen.insert($0.name).inserted }) {
            throw Failure("The settings have “\(twice.name)” twice. Leave one of them.")
        }
    }

    /// - Parameter range: of an object, in JSON that is known to be correct.
    private static func members(_ bytes: [UInt8], _ range: Range<Int>) -> [Member] {
        var found: [Member] = []
        var position = range.lowerBound + 1
        while position < range.upperBound {
            guard bytes[position] == UInt8(ascii: "\"") else {
                position += 1
                continue
            }
            let endOfName = endOfValue(bytes, position)
            let name = try? JSONDecoder().decode(String.self, from: Data(bytes[position..<endOfName]))
            var start = endOfName
            while isSpace(bytes[start]) || bytes[start] == UInt8(ascii: ":") { start += 1 }
            let end = endOfValue(bytes, start)
            found.append(Member(name: name ?? "", whole: position..<end, value: start..<end))
            position = end
        }
        return found
    }

    private static func endOfValue(_ bytes: [UInt8], _ start: Int) -> Int {
        var position = start
        var depth = 0
        repeat {
            switch bytes[position] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                position += 1
                while bytes[position] != UInt8(ascii: "\"") {
                    position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
                }
            default:
                // A number or a word: up to what cannot be in it.
                while position + 1 < bytes.count, !isSpace(bytes[position + 1]),
                    !",:\"{}[]".utf8.contains(bytes[position + 1])
                {
                    position += 1
                }
            }
            position += 1
        } while depth > 0
        return position
    }

    private static func isSpace(_ byte: UInt8) -> Bool { " \n\r\t".utf8.contains(byte) }

    private static func quoted(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // A text can always be encoded.
        return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }
}
