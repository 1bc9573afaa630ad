import Foundation

/// What somebody has typed to find records: words, each of which has to be in one of a record's
/// ``Searchable/searchedTexts``. Their order does not matter, nor do case, accents and the width of characters, as
/// Unicode says of which ones they are variants.
///
/// ``finds(_:)`` is the rule. The database narrows down to what it is applied, by ``SearchIndex``.
struct Search<Record: Searchable>: Sendable {
    private let words: [String]
    /// A number, with its prefix or without, finds that record too.
    private let number: Record.ID?

    /// - Throws: ``DirectoryError/invalidField(field:reason:)`` if there is more than ``SearchLimit`` lets through.
    init(_ text: String) throws {
        try SearchLimit.check(bytesOf: text)
        // Some letters stand for several words, so that words are counted as they are looked for, each once.
        var folded: [String] = []
        for word in Self.fold(text).split(whereSeparator: \.isWhitespace) where !folded.contains(String(word)) {
            folded.append(String(word))
            if folded.count > SearchLimit.wordsMax { break }
        }
        try SearchLimit.check(folded)
        words = folded
        let typed = text.split(whereSeparator: \.isWhitespace)
        number =
            if typed.count == 1, let digits = typed[0].wholeMatch(of: /([A-Z]{2}[-:])?([0-9]{1,18})/),
                digits.1 == nil || digits.1! == Record.numberPrefix
            {
                Int64(digits.2).map(Record.ID.init)
            } else {
                nil
            }
    }

    /// Whether it finds everything, because nothing was typed.
    var isEmpty: Bool { words.isEmpty }

    func finds(_ record: Record) -> Bool {
        if let number, record.id == number { return true }
        let fields = Self.fields(of: record)
        return words.allSatisfy { fields.utf8.contains($0.utf8) }
    }

    /// What words are looked for in, folded. No word holds a line break, so that none is found across two fields.
    private static func fields(of record: Record) -> String {
        fold(record.searchedTexts.compactMap(\.self).joined(separator: "\n"))
    }

    /// In which parts of the index the records are.
    var candidates: [Candidates<Record>] {
        [.indexed(patterns, short: shortPatterns), .unindexed] + (number.map { [.one($0)] } ?? [])
    }

    /// The same text for all texts that are found by each other. Most are in ASCII, for which this is ten times as
    /// fast.
    static func fold(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        return text.precomposedStringWithCompatibilityMapping
            .folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
            .precomposedStringWithCompatibilityMapping
    }
}

/// The search in an alphabet that indexes of three letters understand: `a` to `z`, digits and spaces. All other
/// characters are written as the hexadecimal digits of their numbers, so that a name of one Chinese character has
/// enough letters, and no sign means anything to `LIKE`. A text that contains another one still does so in this
/// alphabet. But what contains another one in this alphabet may do so by chance, so ``Search/finds(_:)`` looks
/// again at what is found.
extension Search {
    /// What the index keeps of a record.
    static func indexed(_ record: Record) -> String { spelled(fields(of: record)) }

    /// Patterns for `LIKE` that the index answers; each has a run of three letters at least. The index of SQLite 3.40
    /// crashes over others.
    var patterns: [String] { longWords.prefix(Self.patternsMax).map { "%\($0)%" } }

    /// Patterns for what is too short for the index. They are needed only where nothing else narrows the search down.
    var shortPatterns: [String] {
        longWords.isEmpty ? words.prefix(Self.patternsMax).map { "%\(Self.spelled($0))%" } : []
    }

    /// More words than these do not narrow it down any further, and a statement must not become endless.
    private static var patternsMax: Int { 8 }

    /// The words that are long enough for the index, the longest first.
    private var longWords: [String] {
        words.map(Self.spelled).filter { $0.utf8.count >= 3 }.sorted { $0.utf8.count > $1.utf8.count }
    }

    private static func spelled(_ folded: String) -> String {
        var spelled = ""
        for scalar in folded.unicodeScalars {
            switch scalar {
            case "a"..."z", "0"..."9": spelled.unicodeScalars.append(scalar)
            case " ", "\n": spelled.append(" ")
            default: spelled += String(scalar.value, radix: 16)
            }
        }
        return spelled
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
