/// Writes a document by templates and values, from front to back.
struct Rendering {
    /// What a name is looked for in: the values of the page, of a group or an item of a list; or one value, whose name is `.`.
    private enum Scope {
        case content(Content)
        case value(Value)
    }

    private let templates: [String: Template]
    private let catalogue: Catalogue
    /// The values for the placeholders of sentences.
    private let sentenceValues: Content
    /// The innermost is the last.
    private var scopes: [Scope]
    private var document: [UInt8] = []

    init(_ templates: [String: Template], _ catalogue: Catalogue, values: Content, sentenceValues: Content) {
        self.templates = templates
        self.catalogue = catalogue
        self.sentenceValues = sentenceValues
        scopes = [.content(values)]
        // Most pages are shorter.
        document.reserveCapacity(16_384)
    }

    /// - Parameter template: the name of one that is there.
    static func text(
        _ template: String, of templates: [String: Template], _ catalogue: Catalogue, values: Content,
        sentenceValues: Content
    ) -> String {
        var rendering = Rendering(templates, catalogue, values: values, sentenceValues: sentenceValues)
        rendering.write(templates[template]!.parts, [:])
        return String(decoding: rendering.document, as: UTF8.self)
    }

    /// - Parameter blocks: those that take the place of the template's own.
    private mutating func write(_ parts: [Template.Part], _ blocks: [String: [Template.Part]]) {
        for part in parts {
            switch part {
            case .text(let text): document += text
            case .variable(let name): if let text = text(of: name) { HTMLText.append(text, to: &document) }
            case .raw(let name): if let text = text(of: name) { document += text.utf8 }
            case .sentence(let key):
                // ``Pages`` has seen that there is one.
                HTMLText.append(catalogue.text(Sentence(key), with: sentenceValues) ?? key, to: &document)
            case .section(let name, let inner): writeSection(value(of: name), inner, blocks)
            case .inverted(let name, let inner):
                switch value(of: name) {
                case nil, .flag(false): write(inner, blocks)
                case .list(let items) where items.isEmpty: write(inner, blocks)
                default: break
                }
            case .partial(let name, let own):
                // The blocks of whoever uses a template count more than those that it gives to a third one.
                write(templates[name]!.parts, blocks.merging(own) { outer, _ in outer })
            case .block(let name, let inner): write(blocks[name] ?? inner, blocks)
            }
        }
    }

    private mutating func writeSection(
        _ value: Value?, _ inner: [Template.Part], _ blocks: [String: [Template.Part]]
    ) {
        switch value {
        case nil, .flag(false): break
        case .flag(true): write(inner, blocks)
        case .list(let items): for item in items { write(inner, blocks, within: .content(item)) }
        case .group(let content): write(inner, blocks, within: .content(content))
        case .address(let text):
            let parts = text.shown.addressParts.enumerated().map { index, part in
                ["part": Value.text(String(part)), "isFirst": .flag(index == 0)]
            }
            write(inner, blocks, within: .content(["parts": .list(parts)]))
        case let value?: write(inner, blocks, within: .value(value))
        }
    }

    private mutating func write(
        _ parts: [Template.Part], _ blocks: [String: [Template.Part]], within scope: Scope
    ) {
        scopes.append(scope)
        write(parts, blocks)
        scopes.removeLast()
    }

    /// The value in the innermost scope that has the name.
    private func value(of name: String) -> Value? {
        for scope in scopes.reversed() {
            switch scope {
            case .content(let content): if let value = content[name] { return value }
            case .value(let value): if name == "." { return value }
            }
        }
        return nil
    }

    private func text(of name: String) -> String? {
        switch value(of: name) {
        case .text(let text): text
        case .appName(let name): name.text(in: catalogue.language).shown
        case .count(let count): count.grouped
        case .day(let date): catalogue.language.day(date)
        case .sentence(let sentence): catalogue.words(of: sentence, with: sentenceValues)
        case .flag(let flag): String(flag)
        // Only a section shows what has parts.
        case .address, .group, .list, nil: nil
        }
    }
}
