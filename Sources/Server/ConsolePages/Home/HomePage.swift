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
        let setUp = setUp
        if !setUp.isEmpty {
            parts += [
                .heading(Sentence("consoleHome.setUp"), Sentence("consoleHome.setUpLead")), .tasks(setUp),
            ]
        }
        if let organization {
            parts += [.heading(Sentence("consoleHome.numbers")), .tiles(tiles(of: organization))]
        }
        return parts
    }

    private func tiles(of organization: OrganizationRecord) -> [Tile] {
        [
            Tile(
                Sentence("consoleHome.people"), organization.people,
                to: desk.may(.readPeople) ? ConsoleSection.people.path : nil)
        ]
            + (desk.isSchool
                ? [
                    Tile(
                        Sentence("consoleHome.classes"), organization.classes,
                        to: desk.may(.readPeople) ? ConsoleSection.classes.path : nil)
                ] : [])
            + [
                Tile(
                    Sentence("consoleHome.locations"), organization.locations,
                    to: desk.may(.manageLocations) ? ConsoleSection.locations.path : nil),
                Tile(
                    Sentence("consoleHome.apps"), organization.connectedApps,
                    to: desk.may(.shareData) ? ConsoleSection.apps.path : nil),
            ]
    }

    /// What is to be done on the first day, until all of it is.
    private var setUp: [ToDo] {
        guard let organization else { return [] }
        let steps: [(isDone: Bool, key: String, section: ConsoleSection, Privilege)] = [
            (organization.people > organization.administrators, "import", .imports, .importRoster),
            (organization.domains.contains { $0.verifiedAt != nil }, "domain", .settings, .manageOrganization),
            (organization.administrators > 1, "administrators", .people, .managePeople),
            (organization.connectedApps > 0, "connect", .access, .shareData),
        ]
        guard steps.contains(where: { !$0.isDone }) else { return [] }
        return steps.filter { desk.may($0.3) }.map { step in
            ToDo(
                step.isDone ? .done : .open, Sentence("consoleHome.\(step.key)"),
                step.isDone ? nil : Sentence("consoleHome.\(step.key)Text"),
                link: step.isDone ? nil : ConsoleLink(Sentence("consoleHome.\(step.key)Link"), to: step.section.path))
        }
    }

    static let sentences =
        ["import", "domain", "administrators", "connect"].flatMap { key in
            ["", "Text", "Link"].map { Sentence("consoleHome.\(key)\($0)") }
        } + DueDate.Kind.allCases.map { Sentence("consoleDue.\($0.key)") }
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
            urgency, Sentence("consoleDue.\(kind.key)", words), nil, link: ConsoleLink(section.label, to: section.path))
    }
}

extension DueDate.Kind {
    var key: String { rawValue.replacing("-", with: "_") }
}
