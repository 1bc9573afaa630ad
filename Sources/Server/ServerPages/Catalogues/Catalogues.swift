/// The catalogues of all languages, known to have the same keys and the same placeholders.
struct Catalogues: Sendable {
    private let byLanguage: [Language: Catalogue]

    /// - Parameter required: keys that templates and code use; each must exist.
    /// - Throws: `PagesError` if a key or a placeholder is missing in a language.
    init(_ catalogues: [Catalogue], requiring required: Set<String>) throws {
        let all = catalogues.reduce(into: required) { $0.formUnion($1.keys) }
        for catalogue in catalogues {
            if let missing = all.subtracting(catalogue.keys).min() {
                throw PagesError.missingSentence(key: missing, language: catalogue.language)
            }
        }
        for catalogue in catalogues {
            for key in all where catalogue.placeholders(of: key) != catalogues[0].placeholders(of: key) {
                throw PagesError.differentPlaceholders(key: key, language: catalogue.language)
            }
        }
        byLanguage = Dictionary(uniqueKeysWithValues: catalogues.map { ($0.language, $0) })
    }

    /// Every language has one: `Pages` builds them from `Language.allCases`.
    subscript(language: Language) -> Catalogue { byLanguage[language]! }
}
