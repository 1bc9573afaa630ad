import Administration
import ServerPages

/// What is said before a person is erased.
package enum EraseWords {
    package static func heading(_ person: PersonRecord) -> Sentence {
        Sentence("consolePerson.eraseHeading", ["name": .text(person.fullName)])
    }

    package static var consequences: [Sentence] {
        [
            Sentence("consolePerson.eraseGoes"), Sentence("consolePerson.eraseApps"),
            Sentence("consolePerson.eraseStays"), Sentence("consolePerson.eraseDataFirst"),
        ]
    }

    package static var button: Sentence { Sentence("consolePerson.erase") }

    /// The field in which the name is typed.
    package static func field(_ person: PersonRecord, isWrong: Bool) -> ConsoleField {
        ConsoleField(
            "name", .verbatim, Sentence("consolePerson.eraseName", ["name": .text(person.fullName)]),
            problem: isWrong ? Sentence("consolePerson.eraseNameWrong") : nil, isRequired: true)
    }
}
