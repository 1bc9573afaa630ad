import Mustache

/// Resolves `{{text.section.name}}` in a template step by step to a sentence with the page's values.
struct SentenceLookup: MustacheParent {
    let catalogue: Catalogue
    let values: Content
    var section: String?

    func child(named name: String) -> Any? {
        guard let section else {
            return SentenceLookup(catalogue: catalogue, values: values, section: name)
        }
        return catalogue.text(Sentence("\(section).\(name)"), with: values)
    }
}
