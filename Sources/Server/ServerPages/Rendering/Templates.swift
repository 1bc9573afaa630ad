import Mustache

/// The parsed templates and the keys of the sentences that they use.
struct Templates: Sendable {
    private let library: MustacheLibrary
    /// Keys of all `{{text.section.name}}`.
    let sentenceKeys: Set<String>

    /// - Parameter sources: Mustache text by template name.
    /// - Throws: `PagesError` if one cannot be parsed or uses a partial that does not exist.
    init(_ sources: [String: String]) throws {
        HTMLText.register()
        var library = MustacheLibrary()
        var sentenceKeys: Set<String> = []
        for (name, source) in sources {
            for partial in source.matches(of: /\{\{[<>]\s*([\w-]+)\s*\}\}/).map({ String($0.1) })
            where sources[partial] == nil {
                throw PagesError.missingPartial(name: partial, template: name)
            }
            sentenceKeys.formUnion(source.matches(of: /\{\{text\.([\w.]+)\}\}/).map { String($0.1) })
            do {
                // Every template, partials too, starts in Mustache's own content type, so each is given ours.
                try library.register("{{% CONTENT_TYPE: \(HTMLText.name)}}\n" + source, named: name)
            } catch {
                throw PagesError.brokenTemplate(name: name, reason: "\(error)")
            }
        }
        self.library = library
        self.sentenceKeys = sentenceKeys
    }

    /// - Parameter name: a name in the `sources` of the initializer.
    func render(_ name: String, with values: [String: Any]) -> String {
        library.render(values, withTemplate: name)!
    }
}
