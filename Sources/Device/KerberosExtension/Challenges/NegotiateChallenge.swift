#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a server says with `WWW-Authenticate: Negotiate`, RFC 4559 §4.1: nothing more at first, then a token in Base64.
struct NegotiateChallenge: Equatable, Sendable {
    /// Empty for the first leg.
    let token: [UInt8]

    /// A ticket of Active Directory has up to 64 KiB, and its answers are smaller.
    static let bytesMax = 128 << 10

    enum Found: Equatable, Sendable {
        case challenge(NegotiateChallenge)
        /// The server speaks other schemes only, or sends what is none.
        case nothing
        /// It speaks Negotiate, and its token cannot be read.
        case malformed
    }

    /// Reads the values of `WWW-Authenticate` or `Proxy-Authenticate`, each of which may hold several challenges (RFC 9110
    /// §11.6.1).
    static func find(in values: [String]) -> Found {
        var found = Found.nothing
        for value in values {
            guard value.utf8.count <= 2 * bytesMax else {
                found = found == .nothing ? .malformed : found
                continue
            }
            for challenge in challenges(of: value) where challenge.scheme.lowercased() == "negotiate" {
                guard let content = challenge.content else {
                    if found == .nothing || found == .malformed { found = .challenge(.init(token: [])) }
                    continue
                }
                // A token says more than the bare scheme beside it.
                if let data = Data(base64Encoded: content), !data.isEmpty, data.count <= bytesMax {
                    return .challenge(.init(token: [UInt8](data)))
                }
                if found == .nothing { found = .malformed }
            }
        }
        return found
    }

    /// Splits a value at the commas between challenges. A part that begins with a word and a space, or is a word alone,
    /// begins a challenge; a part with `=` behind its first word is a parameter of the one before. Commas within quotes
    /// separate nothing.
    private static func challenges(of value: String) -> [(scheme: String, content: String?)] {
        var challenges: [(scheme: String, content: String?)] = []
        for part in parts(of: value) {
            let word = part.prefix { $0 != 0x20 && $0 != 0x09 && $0 != UInt8(ascii: "=") }
            var rest = part.dropFirst(word.count)
            let isParameter = rest.first == UInt8(ascii: "=")
            guard !word.isEmpty, !isParameter else { continue }
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
            // `Digest realm="x"` has a parameter behind the scheme; `realm = "x"` is one itself.
            guard rest.first != UInt8(ascii: "=") else { continue }
            challenges.append(
                (String(decoding: word, as: UTF8.self), rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self)))
        }
        return challenges
    }

    private static func parts(of value: String) -> [ArraySlice<UInt8>] {
        let bytes = Array(value.utf8)
        var parts: [ArraySlice<UInt8>] = []
        var start = 0
        var isQuoted = false
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\\") where isQuoted: index += 1
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                parts.append(trimmed(bytes[start..<index]))
                start = index + 1
            default: break
            }
            index += 1
        }
        parts.append(trimmed(bytes[start...]))
        return parts.filter { !$0.isEmpty }
    }

    private static func trimmed(_ part: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var part = part.drop { $0 == 0x20 || $0 == 0x09 }
        while let last = part.last, last == 0x20 || last == 0x09 { part.removeLast() }
        return part
    }
}
