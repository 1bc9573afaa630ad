import ServerPages

/// A page at a desk, of the console or of the developer portal: a heading, what can be done, and parts one below the
/// other. All of them are drawn by one template, so that the same thing looks the same everywhere.
package protocol DeskPage: Page {
    /// What surrounds the page.
    var frame: Frame { get }
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

extension DeskPage {
    package var parent: ConsoleLink? { nil }
    package var lead: Sentence? { nil }
    package var badge: Badge? { nil }
    package var actions: [ConsoleLink] { [] }
    package var refreshSeconds: Int? { nil }

    package var view: View {
        let content: Content = [
            "desk": .group(frame.content),
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
        return View("console", heading: heading, content: content, owner: frame.house)
    }
}

/// What surrounds a page at a desk: whose it is, who sits there, and where they can go.
package struct Frame: Sendable {
    /// A place in the sidebar.
    struct Place: Sendable {
        let label: Sentence
        let path: String
        /// The strokes of its icon, in a square of 20 by 20.
        let icon: String
        let isCurrent: Bool
    }

    /// The organization, or the team of developers.
    let house: Badge
    let person: SignedInPerson
    let places: [Place]
    /// Whether there is a field that finds people.
    let hasSearch: Bool
    /// What the palette offers besides the places.
    var commands: [ConsoleLink] = []
    /// What was just done, shown once above the page.
    let notice: Desk.Notice?

    var content: Content {
        [
            "houseName": .text(house.name.shown),
            "houseBadge": .group(house.content),
            "personName": .text(person.name.shown),
            "personRole": .sentence(person.role.sentence),
            "personBadge": .group(person.badge.content),
            "places": .list(
                places.map { place in
                    [
                        "placePath": .text(place.path), "placeLabel": .sentence(place.label),
                        "placeIcon": .text(place.icon), "isCurrent": .flag(place.isCurrent),
                    ]
                }),
            "hasSearch": .flag(hasSearch),
            "commands": .list(commands.map(\.content)),
            "notice": .group(
                ifAny: notice.map { notice in
                    ["noticeText": .sentence(notice.sentence), "undo": .group(ifAny: notice.undo?.content)]
                }),
        ]
    }
}

/// A link with words of the catalogues.
package struct ConsoleLink: Sendable {
    package let label: Sentence
    package let path: String
    /// Whether the page stays open, with what was typed there, while the link leads to another tab.
    let opensTab: Bool

    package init(_ label: Sentence, to path: String, opensTab: Bool = false) {
        self.label = label
        self.path = path
        self.opensTab = opensTab
    }

    var content: Content {
        ["linkLabel": .sentence(label), "linkPath": .text(path), "linkOpensTab": .flag(opensTab)]
    }
}

extension Sentence {
    /// A name as it is, for a heading or a link.
    package static func named(_ name: String) -> Sentence { Sentence("console.named", ["name": .text(name)]) }
}
