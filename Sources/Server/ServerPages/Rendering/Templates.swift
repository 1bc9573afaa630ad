/// The parsed templates and the keys of the sentences that they use.
struct Templates: Sendable {
    private let templates: [String: Template]
    /// Keys of all `{{text.section.name}}`.
    let sentenceKeys: Set<String>

    /// - Parameter sources: Mustache text by template name.
    /// - Throws: `PagesError` if one cannot be parsed or uses a partial that does not exist.
    init(_ sources: [String: String]) throws {
        var templates: [String: Template] = [:]
        var sentenceKeys: Set<String> = []
        for (name, source) in sources {
            do {
                templates[name] = try Template(source)
            } catch {
                throw PagesError.brokenTemplate(name: name, reason: "\(error)")
            }
        }
        for (name, template) in templates {
            for part in template.allParts {
                switch part {
                case .partial(let other, _) where templates[other] == nil:
                    throw PagesError.missingPartial(name: other, template: name)
                case .sentence(let key): sentenceKeys.insert(key)
                default: break
                }
            }
        }
        self.templates = templates
        self.sentenceKeys = sentenceKeys
    }

    /// - Parameters:
    ///   - name: a name in the `sources` of the initializer.
    ///   - sentenceValues: the values for the placeholders of sentences.
    func render(_ name: String, with values: Content, sentenceValues: Content, in catalogue: Catalogue) -> String {
        Rendering.text(name, of: templates, catalogue, values: values, sentenceValues: sentenceValues)
    }
}
