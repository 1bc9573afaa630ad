import Ground

/// The picture of an app, an organization or a person: initials on a colour that is derived from the id, so that it
/// looks the same on every page.
package struct Badge: Sendable {
    package let name: String
    package let tone: Tone
    /// People are round; apps and organizations are square.
    private let isPerson: Bool

    /// - Parameters:
    ///   - id: any stable id; only the colour depends on it.
    ///   - tone: nil for the one derived from the id.
    package init(name: String, id: String, tone: Tone? = nil) {
        self.init(name: name, tone: tone ?? Tone(of: id), isPerson: false)
    }

    package init(name: String, id: String, isPerson: Bool) {
        self.init(name: name, tone: Tone(of: id), isPerson: isPerson)
    }

    private init(name: String, tone: Tone, isPerson: Bool) {
        self.name = name
        self.tone = tone
        self.isPerson = isPerson
    }

    package var content: Content {
        [
            "initials": .text(initials),
            "isPerson": .flag(isPerson),
            "isPair": .flag(initials.count > 1),
            "tone": .count(tone.number),
        ]
    }

    /// The first letters of the first and last word. In scripts without capitals one letter, because two letters of
    /// Arabic or two ideographs side by side read as another word.
    var initials: String {
        let words = name.withoutDirectionControls.split(whereSeparator: \.isWhitespace)
        guard let first = words.first?.first(where: \.isLetterOrNumber) else { return "?" }
        guard words.count > 1, first.isCased, let last = words.last?.first, last.isCased else {
            return first.capital
        }
        return first.capital + last.capital
    }
}

extension Character {
    fileprivate var isLetterOrNumber: Bool { isLetter || isNumber }

    /// Upper case, and at most a few scalars: one "character" can carry hundreds of accents.
    fileprivate var capital: String {
        String(String.UnicodeScalarView(uppercased().unicodeScalars.prefix(4)))
    }
}
