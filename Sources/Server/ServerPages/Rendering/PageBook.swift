/// What another room adds to the pages of this one: templates, words, a style sheet and a script. Its templates can use
/// those of this room as partials, and its sentences need sections of their own.
package struct PageBook: Sendable {
    /// The name under which its layout finds its assets: `{{nameStylePath}}` and `{{nameScriptPath}}`.
    package let name: String
    /// Mustache text by template name.
    package let templates: [String: String]
    /// The catalogue in a language, in several documents as in ``Catalogue``.
    package let catalogue: @Sendable (Language) -> [[UInt8]]
    /// Sentences that code chooses by a case; all others are named in templates.
    package let sentences: [Sentence]
    /// The style sheet and the script begin with those of this room. A browser asks for one file of each then, and each file that it
    /// has to ask for costs its main thread some milliseconds.
    package let style: Asset
    package let script: Asset

    package init(
        name: String, templates: [String: String], catalogue: @escaping @Sendable (Language) -> [[UInt8]],
        sentences: [Sentence], style: [UInt8], script: [UInt8]
    ) {
        self.name = name
        self.templates = templates
        self.catalogue = catalogue
        self.sentences = sentences
        self.style = .styleSheet(Resources.style + style)
        self.script = .script(Resources.script + script)
    }
}
