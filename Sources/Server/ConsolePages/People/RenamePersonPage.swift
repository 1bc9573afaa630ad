import Administration
import ServerPages

/// The page on which a person gets another user name.
package struct RenamePersonPage: ConsolePage {
    package let desk: Desk
    package let person: PersonRecord
    package let typed: [String: String]
    package let failure: OperationFailure?

    package init(
        desk: Desk, person: PersonRecord, typed: [String: String] = [:], failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.person = person
        self.typed = typed
        self.failure = failure
    }

    package var section: ConsoleSection { .people }
    package var heading: Sentence { Sentence("consolePerson.renameHeading", ["name": .text(person.fullName)]) }
    package var lead: Sentence? { Sentence("consolePerson.renameLead") }
    package var parent: ConsoleLink? { ConsoleLink(.named(person.fullName), to: PersonWords.path(of: person.number)) }

    package var parts: [Part] {
        Part.refusals(failure) + [
            .form(
                ConsoleForm(
                    .init("\(PersonWords.path(of: person.number))/rename", [("version", person.version)]),
                    [
                        ConsoleField(
                            "userName", .verbatim, Sentence("consolePeople.userName"),
                            value: typed["userName"] ?? person.userName, isRequired: true),
                        ConsoleField(
                            "keepDays", .number, Sentence("consolePerson.keepDays"),
                            value: typed["keepDays"] ?? "\(RenamePerson.keepDaysDefault)",
                            hint: Sentence("consolePerson.keepDaysHint")),
                    ],
                    button: Sentence("consolePerson.renameButton"),
                    cancel: parent.map { ConsoleLink(Sentence("console.cancel"), to: $0.path) }))
        ]
    }
}
