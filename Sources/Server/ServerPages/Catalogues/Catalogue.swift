import Foundation

/// All sentences of one language.
struct Catalogue: Sendable {
    let language: Language
    private let forms: [String: SentenceForm]

    /// - Parameter json: documents in UTF-8, each `{"section": {"name": sentence or plural forms}}`.
    init(_ language: Language, json: [[UInt8]]) throws {
        self.language = language
        var forms: [String: SentenceForm] = [:]
        for document in json {
            let sections = try JSONDecoder().decode([String: [String: SentenceForm]].self, from: Data(document))
            for (section, sentences) in sections {
                for (name, form) in sentences {
                    forms["\(section).\(name)"] = form
                }
            }
        }
        self.forms = forms
    }

    var keys: Set<String> { Set(forms.keys) }

    func placeholders(of key: String) -> Set<String> { forms[key]?.placeholders ?? [] }

    /// The finished sentence, not yet escaped, or nil if there is none of that name.
    /// - Parameter values: the page's values; placeholders without a value stay as they are.
    func text(_ sentence: Sentence, with values: Content) -> String? {
        guard let form = forms[sentence.key] else { return nil }
        let values = values.merging(sentence.values) { _, own in own }
        return form.pattern(for: values).filled { word(for: values[$0], with: values) }
    }

    /// The finished sentence; the key itself, if there is no such sentence: tests look for it, and `Pages.init` refuses to load.
    func words(of sentence: Sentence, with values: Content) -> String { text(sentence, with: values) ?? sentence.key }

    private func word(for value: Value?, with values: Content) -> String? {
        switch value {
        case .text(let text), .address(let text): text.asWord
        case .appName(let name): name.text(in: language).asWord
        case .count(let count): count.grouped
        case .day(let date): language.day(date)
        case .sentence(let sentence): text(sentence, with: values)
        case .flag, .group, .list, nil: nil
        }
    }
}
