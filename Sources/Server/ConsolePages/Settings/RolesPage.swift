import Administration
import Directory
import Ground
import ServerPages

/// What each role may do, and how many hold it. Whom one gives a role is decided on the page of the person.
package struct RolesPage: ConsolePage {
    package let desk: Desk
    package let roles: [RoleRecord]

    package init(desk: Desk, roles: [RoleRecord]) {
        self.desk = desk
        self.roles = roles
    }

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
                        .init(Sentence("consoleRoles.holders"), isNumber: true), .init(Sentence("consoleRoles.change")),
                    ],
                    roles.map { record in
                        let privileges = desk.usedPrivileges.filter(record.privileges.contains)
                        return Table.Row([
                            desk.may(.readPeople)
                                ? .phrase(
                                    record.role.word,
                                    to: "\(ConsoleSection.people.path)?role=\(record.role.rawValue)")
                                : .sentence(record.role.word),
                            privileges.isEmpty
                                ? .sentence(Sentence("consoleRoles.nothing")) : .chips(privileges.map(\.word)),
                            record.shownHolders,
                            !record.shownChoices(at: desk).isEmpty
                                ? .phrase(Sentence("consoleRoles.change"), to: EditRolePage.path(of: record.role))
                                : .nothing,
                        ])
                    }, empty: Sentence("consoleRoles.nothing")))
        ] + (desk.isSchool ? [.text(Sentence("consoleRoles.instructor"))] : [])
    }

    static let sentences = Privilege.ofOrganizations.map(\.word)
}

/// Asks what the holders of a role may do.
package struct EditRolePage: ConsolePage {
    package let desk: Desk
    package let record: RoleRecord
    /// What was chosen before; nil at first.
    package let chosen: [String]?
    package let failure: OperationFailure?

    package init(desk: Desk, record: RoleRecord, chosen: [String]? = nil, failure: OperationFailure? = nil) {
        self.desk = desk
        self.record = record
        self.chosen = chosen
        self.failure = failure
    }

    package static func path(of role: Role) -> String { "\(RolesPage.path)/\(role.rawValue)" }
    package static let parent = ConsoleLink(Sentence("consoleRoles.heading"), to: RolesPage.path)

    package var section: ConsoleSection { .settings }
    package var heading: Sentence { RoleWords.heading(record.role) }
    package var lead: Sentence? { Sentence("consoleRoles.editLead") }
    package var parent: ConsoleLink? { Self.parent }

    package var parts: [Part] {
        let choices = record.shownChoices(at: desk)
        let usual = desk.usedPrivileges.filter(record.role.usualPrivileges.contains)
        let fixed = desk.usedPrivileges.filter { record.privileges.contains($0) && !record.choices.contains($0) }
        return Part.refusals(failure) + [
            .facts(
                [Fact(Sentence("consoleRoles.holders"), record.shownHolders)]
                    + (fixed.isEmpty ? [] : [Fact(Sentence("consoleRoles.fixed"), .chips(fixed.map(\.word)))])
                    // What one would choose to have it as it was at first.
                    + (record.isChanged ? [Fact(Sentence("consoleRoles.usual"), .chips(usual.map(\.word)))] : [])),
            .form(
                ConsoleForm(
                    .init(
                        Self.path(of: record.role),
                        [("version", record.version)] + choices.map { ("offered", $0.rawValue) }),
                    [
                        ConsoleField(
                            "privileges",
                            .boxes(choices.map { .init($0.rawValue, $0.word) }),
                            Sentence("consoleRoles.mayToo"), values: chosen ?? record.privileges.map(\.rawValue))
                    ], button: Sentence("consoleRoles.look"),
                    cancel: ConsoleLink(Sentence("console.cancel"), to: RolesPage.path))),
        ]
    }
}

extension RoleRecord {
    fileprivate var shownHolders: Cell { .count(holders, upTo: Role.countedMax) }

    /// The privileges about which the reader may decide, as far as there is something for them here.
    fileprivate func shownChoices(at desk: Desk) -> [Privilege] { desk.usedPrivileges.filter(choices.contains) }
}

/// The words of the page on which a changed role is confirmed.
package enum RoleWords {
    package static let button = Sentence("consoleRoles.confirm")

    package static func heading(_ role: Role) -> Sentence {
        Sentence("consoleRoles.editHeading", ["role": .sentence(role.word)])
    }

    /// What is said in place of the usual sentence on taking a change back; nil if that is true.
    package static func warning(on change: SetRole) -> Sentence? {
        change.take == [] ? nil : Sentence("consoleRoles.undoable")
    }

    /// What the holders of the role gain and lose, how many they are, and who manages whom no longer.
    package static func consequences(of change: SetRole, for record: RoleRecord, among roles: ListRoles.Answer)
        -> [Sentence]
    {
        (change.give ?? []).map { Sentence("consoleRoles.gain", ["privilege": .sentence($0.word)]) }
            + (change.take ?? []).map { Sentence("consoleRoles.lose", ["privilege": .sentence($0.word)]) }
            + [
                record.holders > Role.countedMax
                    ? Sentence("consoleRoles.concernsMany", ["count": .count(Role.countedMax)])
                    : Sentence("consoleRoles.concerns", ["count": .count(record.holders)])
            ]
            + roles.managementLost(by: change).map { role, managed in
                Sentence(
                    "consoleRoles.managementLost",
                    ["role": .sentence(role.word), "managed": .sentence(managed.word)])
            }
    }
}

extension Privilege {
    /// What it allows, in words.
    var word: Sentence {
        Sentence("consoleRoles.privilege_\(rawValue.sentenceName)")
    }
}
