#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Finds repeated names in a JSON object. Parsers keep only one of them, and RFC 8259 §4 leaves open which.
enum JSONNames {
    /// Whether the outermost object has `name` twice, or its value has `below` twice.
    /// - Parameter data: bytes that a parser has accepted as a JSON object.
    static func isRepeated(_ name: String, orBelowIt below: String, in data: Data) -> Bool {
        var counts = (name: 0, below: 0)
        var depth = 0
        /// The last name read in the outermost object.
        var outer: String?
        forEachToken(in: data) { token in
            switch token {
            case .open: depth += 1
            case .close: depth -= 1
            case .name(let text) where depth == 1:
                outer = text
                if text == name { counts = (counts.name + 1, 0) }
            case .name(let text) where depth == 2 && outer == name:
                if text == below { counts.below += 1 }
            case .name: break
            }
            return counts.name > 1 || counts.below > 1
        }
        return counts.name > 1 || counts.below > 1
    }

    private enum Token {
        /// The beginning or the end of an object or an array.
        case open, close
        /// A string before a colon, with its escapes resolved.
        case name(String)
    }

    /// - Parameter body: returns true to stop.
    private static func forEachToken(in data: Data, _ body: (Token) -> Bool) {
        let bytes = Array(data)
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): if body(.open) { return }
            case UInt8(ascii: "}"), UInt8(ascii: "]"): if body(.close) { return }
            case UInt8(ascii: "\""):
                let start = index
                index += 1
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                    index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                let end = min(index, bytes.count - 1)
                let rest = bytes[(end + 1)...].first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
                if rest == UInt8(ascii: ":"), body(.name(text(bytes[start...end]))) { return }
            default: break
            }
            index += 1
        }
    }

    /// - Parameter token: the string with its quotes.
    private static func text(_ token: ArraySlice<UInt8>) -> String {
        (try? JSONDecoder().decode(String.self, from: Data(token)))
            ?? String(decoding: token.dropFirst().dropLast(), as: UTF8.self)
    }
}
