import Administration
import Directory
import Foundation
import ServerPages

/// Whether anything is wrong, and what to do today.
package struct HomePage: ConsolePage {
    package let desk: Desk
    /// Nil for people who may not see the organization's settings.
    package let organization: OrganizationRecord?
    package let due: [DueDate]

    package init(desk: Desk, organization: OrganizationRecord?, due: [DueDate]) {
        self.desk = desk
        self.organization = organization
        self.due = due
    }

    package var section: ConsoleSection { .home }
    package var heading: Sentence { Sentence("consoleHome.heading", ["organization": .text(desk.organization.name)]) }

    package var parts: [Part] {
        var parts: [Part] = []
        let tasks = due.map(\.task)
        parts.append(
            tasks.isEmpty ? .text(Sentence("consoleHome.nothing")) : .tasks(tasks))
        if let organization {
            parts += [.heading(Sentence("consoleHome.numbers")), .tiles(tiles(of: organization))]
        }
        return parts
    }

    private func tiles(of organization: OrganizationRecord) -> [Tile] {
        [
            Tile(
                Sentence("consoleHome.people"), organization.people,
                to: desk.may(.readPeople) ? ConsoleSection.people.path : nil),
            Tile(
                Sentence("consoleHome.classes"), organization.classes,
                to: nil),
            Tile(
                Sentence("consoleHome.locations"), organization.locations,
                to: nil),
            Tile(
                Sentence("consoleHome.apps"), organization.connectedApps,
                to: nil),
        ]
    }

    static let sentences =
        DueDate.Kind.allCases.map { Sentence("consoleDue.\($0.key)") }
}

extension DueDate {
    var task: ToDo {
        let words: Content = [
            "day": .day(on.date), "count": .count(count), "location": .text(location ?? ""), "term": .text(term ?? ""),
            "app": .text(app ?? ""),
        ]
        let urgency: ToDo.Urgency =
            switch kind {
            case .importIsHeld, .organizationIsErased: .danger
            case .consentEnds, .passwordsEnd, .retentionIsDue: .warning
            case .termEnds, .holdEnds: .open
            }
        let section: ConsoleSection =
            switch kind {
            case .importIsHeld: .imports
            case .passwordsEnd: .people
            case .termEnds: .classes
            case .consentEnds: .apps
            case .holdEnds, .retentionIsDue, .organizationIsErased: .settings
            }
        return ToDo(
            urgency, Sentence("consoleDue.\(kind.key)", words), nil,
            link: section.isBuilt ? ConsoleLink(section.label, to: section.path) : nil)
    }
}

extension DueDate.Kind {
    var key: String { rawValue.replacing("-", with: "_") }
}
