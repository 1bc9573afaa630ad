import Directory
import Ground

/// Tells by two spellings whether they can be the names of one person, as far as spelling tells.
struct NameLikeness {
    private let simplifiedNames = SimplifiedNames()

    /// First, middle and family name, as they stand in a record or a row.
    struct Name: Equatable {
        let given: String
        let middle: String?
        let family: String
    }

    struct Difference: Equatable {
        /// Neither the first nor a middle name is like one of the other's.
        let given: Bool
        let family: Bool
    }

    func difference(between name: Name, and other: Name) -> Difference {
        let (given, otherGiven) = (words([name.given, name.middle]), words([other.given, other.middle]))
        let (family, otherFamily) = (words([name.family]), words([other.family]))
        // The two columns were taken for each other: that is nobody else.
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

    /// One begins with the other, as `Tom` and `Tomasz`, or at most one letter in four is another.
    private static func isLike(_ word: String, _ other: String) -> Bool {
        let length = max(word.utf8.count, other.utf8.count)
        if min(word.utf8.count, other.utf8.count) >= 3, word.hasPrefix(other) || other.hasPrefix(word) { return true }
        return Array(word.utf8).editDistance(to: Array(other.utf8)) * 4 <= length
    }
}
