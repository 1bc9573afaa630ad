/// Turns a page's values into what Mustache reads: strings, flags, dictionaries and arrays.
struct ContentResolver {
    let catalogue: Catalogue
    /// The page's values, for the placeholders of its sentences.
    let values: Content

    func resolve(_ content: Content) -> [String: Any] {
        content.mapValues(resolve)
    }

    /// The key itself, if there is no such sentence: tests look for it, and `Pages.init` refuses to load.
    func words(of sentence: Sentence) -> String { catalogue.text(sentence, with: values) ?? sentence.key }

    func resolve(_ value: Value) -> Any {
        switch value {
        case .text(let text): text
        case .appName(let name): name.text(in: catalogue.language).shown
        case .address(let text): ["parts": text.shown.addressParts]
        case .count(let count): count.grouped
        case .day(let date): catalogue.language.day(date)
        case .flag(let flag): flag
        case .sentence(let sentence): words(of: sentence)
        case .group(let content): resolve(content) as [String: Any]
        case .list(let items): items.map { resolve($0) as [String: Any] }
        }
    }
}
