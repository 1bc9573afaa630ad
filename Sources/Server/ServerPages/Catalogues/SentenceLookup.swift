import Mustache

/// What `{{text.section.name}}` reads in a template: a step on the way to a sentence, filled with the page's values.
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
