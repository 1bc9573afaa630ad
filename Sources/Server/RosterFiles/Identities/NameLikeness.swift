import Directory
import Ground

/// Judges by spelling alone whether two names can be those of one person.
struct NameLikeness {
    private let simplifiedNames = SimplifiedNames()

    /// First, middle and family name as they are in a record or a row.
    struct Name: Equatable {
        let given: String
        let middle: String?
        let family: String
    }

    struct Difference: Equatable {
        /// Whether no first or middle name of one side resembles one of the other side.
        let given: Bool
        let family: Bool
    }

    func difference(between name: Name, and other: Name) -> Difference {
        let (given, otherGiven) = (words([name.given, name.middle]), words([other.given, other.middle]))
        let (family, otherFamily) = (words([name.family]), words([other.family]))
        // First and family name have only changed places: the same person.
        if words([name.given]) == otherFamily, family == words([other.given]) {
            return Difference(given: false, family: false)
        }
        return Difference(
            given: !Self.haveLikeWords(given, otherGiven), family: !Self.haveLikeWords(family, otherFamily))
    }

    /// The words of names in lower-case ASCII letters: `Ana María` is `ana` and `maria`.
    private func words(_ names: [String?]) -> [String] {
        names.compactMap { $0 }.flatMap { name in
            let simplified = simplifiedNames.simplify(name)
            let words = simplified.split { $0 == "." || $0 == "-" }.map(String.init)
            return words.isEmpty ? [name] : words
        }
    }

    private static func haveLikeWords(_ words: [String], _ others: [String]) -> Bool {
        words.contains { word in others.contains { isLike(word, $0) } }
            // `Min Jun` and `Minjun`.
            || isLike(words.joined(), others.joined())
    }

    /// Whether one is the beginning of the other (`Tom`, `Tomasz`), or at most one letter in four differs.
    private static func isLike(_ word: String, _ other: String) -> Bool {
        let length = max(word.utf8.count, other.utf8.count)
        if min(word.utf8.count, other.utf8.count) >= 3, word.hasPrefix(other) || other.hasPrefix(word) { return true }
        return Array(word.utf8).editDistance(to: Array(other.utf8)) * 4 <= length
    }
}
