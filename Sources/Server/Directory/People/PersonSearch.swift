import Foundation

/// What somebody has typed to find people: words, each of which has to be in a name, the user name, the email address or
/// the person id. Their order does not matter, nor do case, accents and the width of characters, as Unicode says of
/// which ones they are variants.
struct PersonSearch: Sendable {
    private let words: [String]
    /// A number, or `PE-` and a number, finds that person too.
    private let number: PersonID?

    init(_ text: String) {
        words = Self.fold(text).split(whereSeparator: \.isWhitespace).map(String.init)
        number = text.wholeMatch(of: /\s*(?:PE-)?([0-9]{1,18})\s*/).flatMap { Int64($0.1) }.map(PersonID.init)
    }

    func finds(_ person: Person) -> Bool {
        if let number, person.id == number { return true }
        // No word holds a line break, so that none is found across two fields.
        let fields = Self.fold(
            [
                person.fullName, person.middleName, person.familyName, person.userName, person.email,
                person.sourceID, person.personNumber,
            ].compactMap(\.self).joined(separator: "\n"))
        return words.allSatisfy { fields.utf8.contains($0.utf8) }
    }

    /// The same text for all texts that are found by each other. Most are in ASCII, for which this is ten times as fast.
    static func fold(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        return text.precomposedStringWithCompatibilityMapping
            .folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
            .precomposedStringWithCompatibilityMapping
    }
}

extension String.UTF8View {
    /// Whether `other` stands somewhere in this text. UTF-8 has no character in which another one begins.
    fileprivate func contains(_ other: String.UTF8View) -> Bool {
        guard let first = other.first else { return true }
        var start = startIndex
        while let found = self[start...].firstIndex(of: first) {
            if self[found...].starts(with: other) { return true }
            start = index(after: found)
        }
        return false
    }
}
