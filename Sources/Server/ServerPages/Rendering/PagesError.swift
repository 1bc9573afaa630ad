/// Why the pages cannot be loaded: a mistake in an embedded file, which is found at the start of the server.
package enum PagesError: Error, Equatable, CustomStringConvertible {
    case brokenTemplate(name: String, reason: String)
    case missingPartial(name: String, template: String)
    case brokenCatalogue(language: Language, reason: String)
    case missingSentence(key: String, language: Language)
    case differentPlaceholders(key: String, language: Language)

    package var description: String {
        switch self {
        case .brokenTemplate(let name, let reason):
            "The template \(name) cannot be read: \(reason)"
        case .missingPartial(let name, let template):
            "The template \(template) uses \(name), which does not exist."
        case .brokenCatalogue(let language, let reason):
            "The \(language) catalogue cannot be read: \(reason)"
        case .missingSentence(let key, let language):
            "The \(language) catalogue has no sentence \(key)."
        case .differentPlaceholders(let key, let language):
            "The sentence \(key) has other placeholders in the \(language) catalogue."
        }
    }
}
