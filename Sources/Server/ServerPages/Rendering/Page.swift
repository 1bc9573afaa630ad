/// A page: finished values, and the template that shows them. The server chooses the values and the catalogue the
/// words; a page only decides which sentence applies.
package protocol Page: Sendable {
    /// The template, the heading and the values.
    var view: View { get }
}

/// What `Pages` needs to render a page.
package struct View: Sendable {
    let template: String
    /// Title of the document and first heading of the page.
    let heading: Sentence
    let content: Content
    /// The organization that owns the signed-in account: the card hangs on a strap in its colour.
    let owner: Badge?
    /// Whether the page uses the whole width of a wide window, for lists.
    let isWide: Bool

    /// Whether the page reports a problem with a form.
    var hasProblem: Bool { Self.hasProblem(content) }

    private static func hasProblem(_ content: Content) -> Bool {
        content.contains { name, value in
            switch value {
            case .sentence: name == "problem" || name == "fieldProblem"
            case .flag(let isOn): isOn && name == "isMissing"
            case .group(let content): hasProblem(content)
            case .list(let rows): rows.contains(where: hasProblem)
            case .text, .appName, .address, .count, .day: false
            }
        }
    }

    package init(
        _ template: String, heading: Sentence, content: Content, owner: Badge? = nil, isWide: Bool = false
    ) {
        self.template = template
        self.heading = heading
        self.content = content
        self.owner = owner
        self.isWide = isWide
    }
}
