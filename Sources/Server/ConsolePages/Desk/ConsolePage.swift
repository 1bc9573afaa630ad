import ServerPages

/// A page of the console: a heading, what can be done, and parts one below the other. All of them are drawn by one
/// template, so that the same thing looks the same everywhere.
package protocol ConsolePage: Page {
    var desk: Desk { get }
    var section: ConsoleSection { get }
    var heading: Sentence { get }
    /// The page to which this one belongs.
    var parent: ConsoleLink? { get }
    /// A sentence below the heading.
    var lead: Sentence? { get }
    /// The picture of what the page is about.
    var badge: Badge? { get }
    /// At the top right; the first is the page's primary action.
    var actions: [ConsoleLink] { get }
    var parts: [Part] { get }
    /// After how many seconds the page is asked for again, because something goes on; nil for pages that stay.
    var refreshSeconds: Int? { get }
}

extension ConsolePage {
    package var parent: ConsoleLink? { nil }
    package var lead: Sentence? { nil }
    package var badge: Badge? { nil }
    package var actions: [ConsoleLink] { [] }
    package var refreshSeconds: Int? { nil }

    package var view: View {
        let content: Content = [
            "desk": .group(desk.content(in: section)),
            "parent": .group(ifAny: parent?.content),
            "lead": .sentence(ifAny: lead),
            "pageBadge": .group(ifAny: badge?.content),
            "hasActions": .flag(!actions.isEmpty),
            "actions": .list(
                actions.enumerated().map { index, action in
                    action.content.merging(["isPrimary": .flag(index == 0)]) { own, _ in own }
                }),
            "parts": .list(parts.map(\.content)),
            "refreshSeconds": .text(ifAny: refreshSeconds.map(String.init)),
        ]
        return View("console", heading: heading, content: content, owner: desk.organization)
    }
}

/// A link with words of the catalogues.
package struct ConsoleLink: Sendable {
    package let label: Sentence
    package let path: String

    package init(_ label: Sentence, to path: String) {
        self.label = label
        self.path = path
    }

    var content: Content { ["linkLabel": .sentence(label), "linkPath": .text(path)] }
}

extension Sentence {
    /// A name as it is, for a heading or a link.
    package static func named(_ name: String) -> Sentence { Sentence("console.named", ["name": .text(name)]) }
}
