import Ground

/// What an app, an organization or a person looks like: the picture that was chosen, otherwise initials on a colour that is
/// derived from the id, so that it looks the same on every page.
package struct Badge: Sendable {
    package let name: String
    package let tone: Tone
    /// The id of a picture that is in place of the initials; nil for none.
    let picture: String?
    /// Where the terms of an organization are; nil if it has none, and for apps and people.
    let termsURL: String?
    /// People are round; apps and organizations are square.
    private let isPerson: Bool

    /// - Parameters:
    ///   - id: any stable id; only the colour depends on it.
    ///   - tone: nil for the one derived from the id.
    ///   - picture: the id of a picture that is in place of the initials.
    ///   - termsURL: where the terms of an organization are.
    package init(name: String, id: String, tone: Tone? = nil, picture: String? = nil, termsURL: String? = nil) {
        self.init(name: name, tone: tone ?? Tone(of: id), picture: picture, termsURL: termsURL, isPerson: false)
    }

    package init(name: String, id: String, isPerson: Bool) {
        self.init(name: name, tone: Tone(of: id), picture: nil, termsURL: nil, isPerson: isPerson)
    }

    private init(name: String, tone: Tone, picture: String?, termsURL: String?, isPerson: Bool) {
        self.name = name
        self.tone = tone
        self.picture = picture
        self.termsURL = termsURL
        self.isPerson = isPerson
    }

    package var content: Content {
        [
            "initials": .text(initials),
            "isPerson": .flag(isPerson),
            "isPair": .flag(initials.count > 1),
            "tone": .count(tone.number),
            "picturePath": .text(ifAny: picture.map(Self.path(of:))),
        ]
    }

    /// Where the server has a picture. It changes with the picture, so that browsers may keep it for ever.
    package static func path(of picture: String) -> String { "/pictures/\(picture).png" }

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
