import Crypto
import Foundation

/// The passwords that everybody tries first, as a Bloom filter: none of them is missed, and fewer than one in 10 000 of
/// all others is taken for one. 31 kB, whatever it is asked.
enum CommonPasswords {
    /// Whether the password is one of them, whatever the case, or a common word with something before or behind it that is
    /// no letter: `Dragon2026!`.
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
