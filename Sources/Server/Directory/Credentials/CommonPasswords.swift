import Crypto
import Foundation

/// The most common passwords, as a Bloom filter of 31 kB: none of them is missed, and fewer than one in 10 000 other
/// passwords is refused by mistake.
enum CommonPasswords {
    /// Whether the password is a common one, ignoring case, or a common word with characters before or after it that
    /// are not letters: `Dragon2026!`.
    static func contain(_ password: String) -> Bool {
        let text = password.precomposedStringWithCanonicalMapping.lowercased()
        guard !has(text) else { return true }
        let stem = text.drop { !$0.isLetter }
        guard let last = stem.lastIndex(where: \.isLetter) else { return false }
        return has("stem:\(stem[...last])")
    }

    private static let filter = Array(Data(base64Encoded: encodedFilter) ?? Data())

    private static func has(_ entry: String) -> Bool {
        let digest = Array(SHA256.hash(data: Data(entry.utf8)))
        func number(_ start: Int) -> UInt64 { digest[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        let (first, step, size) = (number(0), number(8) | 1, UInt64(filter.count) * 8)
        return (0..<probes).allSatisfy { probe in
            let bit = Int((first &+ probe &* step) % size)
            return filter[bit / 8] & 1 << (bit % 8) != 0
        }
    }
}
