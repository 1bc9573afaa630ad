import Administration
import Directory
import Foundation
import ServerPages

/// The roles of a person, each with its place.
package struct PersonRolesPage: ConsolePage {
    package let desk: Desk
    package let person: PersonRecord
    /// Whether nobody else is an Administrator without end.
    package let isOnlyAdministrator: Bool
    package let locations: LocationChoices
    package let typed: [String: String]
    package let failure: OperationFailure?
    package let now: Date

    package init(
        desk: Desk, person: PersonRecord, isOnlyAdministrator: Bool, locations: LocationChoices,
        typed: [String: String] = [:], failure: OperationFailure? = nil, now: Date
    ) {
        self.desk = desk
        self.person = person
        self.isOnlyAdministrator = isOnlyAdministrator
        self.locations = locations
        self.typed = typed
        self.failure = failure
        self.now = now
    }

    private var path: String { "\(PersonWords.path(of: person.number))/roles" }

    package var section: ConsoleSection { .people }
    package var heading: Sentence { Sentence("consolePerson.rolesHeading", ["name": .text(person.fullName)]) }
    package var parent: ConsoleLink? { ConsoleLink(.named(person.fullName), to: PersonWords.path(of: person.number)) }

    package var parts: [Part] {
        var parts = Part.refusals(failure)
        parts.append(.table(table))
        if person.roles.contains(where: isNeeded) { parts.append(.text(Sentence("consolePerson.onlyAdministrator"))) }
        // Who is deactivated gets no role.
        guard person.state != .deactivated else { return parts }
        return parts + [
            .heading(Sentence("consolePerson.addRole"), Sentence("consolePerson.addRoleLead")),
            .form(
                ConsoleForm(
                    .init(path, [("version", person.version)]),
                    RoleFields.fields(desk, locations, typed: typed, isRequired: true)
                        + RoleFields.days(typed: typed),
                    button: Sentence("consolePerson.addRoleButton"))),
        ]
    }

    /// Whether the role cannot be taken away: without it nobody would be left who is an Administrator without end.
    private func isNeeded(_ held: PersonRecord.HeldRole) -> Bool {
        isOnlyAdministrator && held.role == .administrator && held.state(at: now) == .current
            && !person.roles.contains { other in
                other.role == .administrator && other.locationID != held.locationID && other.until == nil
                    && other.state(at: now) == .current
            }
    }

    private var table: Table {
        Table(
            Sentence("consolePeople.roles"),
            [
                .init(Sentence("consolePeople.role")), .init(Sentence("consolePerson.roleAtPlace")),
                .init(Sentence("consolePerson.roleDays")), .init(Sentence("consolePerson.removeRole")),
            ],
            person.roles.map { held in
                .init([
                    .sentence(held.role.word),
                    held.location.map(Cell.text) ?? .sentence(Sentence("consolePerson.everywhere")),
                    PersonWords.period(of: held, at: now),
                    isNeeded(held)
                        ? .nothing
                        : .button(
                            Sentence("consolePerson.removeRole"),
                            .init(
                                "\(path)/remove",
                                [("role", held.role.rawValue), ("version", person.version)]
                                    + (held.locationID.map { [("at", $0)] } ?? []))),
                ])
            },
            empty: Sentence("consolePerson.noRoles"))
    }
}
