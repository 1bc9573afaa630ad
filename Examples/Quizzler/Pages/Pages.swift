import HTTPTypes
import Hummingbird
import Mustache
import NIOCore

/// A page: its values as text, and the template in which they are shown.
///
/// Templates escape what they insert. Names and other text of a roster go between tags only, never into an attribute.
protocol Page {
    /// Unique among the pages.
    static var name: String { get }
    /// The contents of the layout's blocks.
    static var template: String { get }
}

/// All templates. They are parsed when the program starts, so that an error in one is noticed then.
struct Pages: Sendable {
    private let library: MustacheLibrary

    init() throws {
        var library = MustacheLibrary()
        try library.register(layoutTemplate, named: "layout")
        let pages: [any Page.Type] = [
            HomePage.self, PersonPage.self, PracticePage.self, OrganizationPage.self, ClassPage.self,
            DisconnectPage.self, MessagePage.self,
        ]
        for page in pages {
            try library.register("{{<layout}}\n\(page.template)\n{{/layout}}", named: page.name)
        }
        self.library = library
    }

    func html<Content: Page>(_ page: Content) throws -> String {
        guard let html = library.render(page, withTemplate: Content.name) else { throw PageError.notFound }
        return html
    }

    func response(_ page: some Page, status: HTTPResponse.Status = .ok) throws -> Response {
        Response(
            status: status,
            headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: try html(page)))
        )
    }
}
