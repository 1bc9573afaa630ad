/// Turns a page's values into what Mustache reads: strings, flags, dictionaries and arrays.
struct ContentResolver {
    let catalogue: Catalogue
    /// The page's values, for the placeholders of its sentences.
    let values: Content

    func resolve(_ content: Content) -> [String: Any] {
        content.mapValues(resolve)
    }

    func resolve(_ value: Value) -> Any {
        switch value {
        case .text(let text): text
        case .count(let count): count.grouped
        case .day(let date): catalogue.language.day(date)
        case .flag(let flag): flag
        // The key itself, if there is no such sentence: tests look for it, and `Pages.init` refuses to load.
        case .sentence(let sentence): catalogue.text(sentence, with: values) ?? sentence.key
        case .group(let content): resolve(content) as [String: Any]
        case .list(let items): items.map { resolve($0) as [String: Any] }
        }
    }
}
