import Administration
import Directory
import ServerPages

/// What each role may do. Nobody changes that; whom one gives a role is decided on the page of the person.
package struct RolesPage: ConsolePage {
    package let desk: Desk

    package init(desk: Desk) { self.desk = desk }

    package static let path = "\(ConsoleSection.settings.path)/roles"

    package var section: ConsoleSection { .settings }
    package var heading: Sentence { Sentence("consoleRoles.heading") }
    package var lead: Sentence? { Sentence("consoleRoles.lead") }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }
    package var actions: [ConsoleLink] {
        desk.wholeRoles.contains(.administrator)
            ? [ConsoleLink(Sentence("consoleRoles.addAdministrator"), to: AddPersonPage.path(for: .administrator))] : []
    }

    package var parts: [Part] {
        [
            .table(
                Table(
                    heading,
                    [
                        .init(Sentence("consolePeople.role")), .init(Sentence("consoleRoles.may")),
                        .init(Sentence("consoleRoles.who")),
                    ],
                    desk.roles.map { role in
                        let privileges = desk.usedPrivileges.filter(role.privileges.contains)
                        return Table.Row([
                            .sentence(role.word),
                            privileges.isEmpty
                                ? .sentence(Sentence("consoleRoles.nothing")) : .chips(privileges.map(\.word)),
                            desk.may(.readPeople)
                                ? .phrase(
                                    Sentence("consoleRoles.show"),
                                    to: "\(ConsoleSection.people.path)?role=\(role.rawValue)") : .nothing,
                        ])
                    }, empty: Sentence("consoleRoles.nothing")))
        ] + (desk.isSchool ? [.text(Sentence("consoleRoles.instructor"))] : [])
    }

    static let sentences = Privilege.ofOrganizations.map(\.word)
}

extension Privilege {
    /// What it allows, in words.
    var word: Sentence {
        Sentence("consoleRoles.privilege_\(rawValue.replacing(".", with: "__").replacing("-", with: "_"))")
    }
}
