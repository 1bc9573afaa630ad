/// What an app is called: by one name everywhere, or by others in some languages.
package struct AppName: Equatable, Sendable, ExpressibleByStringLiteral {
    /// Where no other name is.
    package let usual: String
    private let localized: [Language: String]

    /// - Parameter localized: names by the tags of languages; what is none of ``Language`` is left out.
    package init(_ usual: String, localized: [String: String] = [:]) {
        self.usual = usual
        self.localized = Dictionary(
            uniqueKeysWithValues: localized.compactMap { tag, name in Language(rawValue: tag).map { ($0, name) } })
    }

    package init(stringLiteral usual: String) { self.init(usual) }

    func text(in language: Language) -> String { localized[language] ?? usual }
}

extension Value {
    static func text(_ name: AppName) -> Value { .appName(name) }
    static func text(ifAny name: AppName?) -> Value { name.map(Value.appName) ?? .absent }
}
