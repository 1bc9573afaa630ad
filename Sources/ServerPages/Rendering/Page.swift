/// A page: finished values, and the template that shows them. The values are chosen by the server, the words by the
/// catalogue; a page decides nothing but which sentence applies.
package protocol Page: Sendable {
    /// The template, the heading and the values. Only this room makes pages.
    var view: View { get }
}

/// What `Pages` needs to render a page.
package struct View: Sendable {
    let template: String
    /// Title of the document and first heading of the page.
    let heading: Sentence
    let content: Content
    /// The organization to which the signed-in account belongs: the card hangs on a strap in its colour.
    let owner: Badge?
    /// A page of lists, for which a wide window has more room than a card.
    let isWide: Bool

    init(_ template: String, heading: Sentence, content: Content, owner: Badge? = nil, isWide: Bool = false) {
        self.template = template
        self.heading = heading
        self.content = content
        self.owner = owner
        self.isWide = isWide
    }
}
