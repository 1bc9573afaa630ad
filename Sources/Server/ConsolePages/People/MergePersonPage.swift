import Administration
import Ground
import ServerPages

/// The search for the other record of a person, of which this page's record becomes the only one.
package struct MergePersonPage: ConsolePage {
    package let desk: Desk
    package let person: PersonRecord
    /// What was searched for.
    package let text: String?
    /// The people who were found, without this one; nil if nothing was searched for.
    package let found: [PersonRecord]?

    package init(desk: Desk, person: PersonRecord, text: String?, found: [PersonRecord]?) {
        self.desk = desk
        self.person = person
        self.text = text
        self.found = found
    }

    private var path: String { "\(PersonWords.path(of: person.number))/merge" }

    package var section: ConsoleSection { .people }
    package var heading: Sentence { Sentence("consolePerson.mergeHeading", ["name": .text(person.fullName)]) }
    package var lead: Sentence? { Sentence("consolePerson.mergeLead") }
    package var parent: ConsoleLink? { ConsoleLink(.named(person.fullName), to: PersonWords.path(of: person.number)) }

    package var parts: [Part] {
        [
            .form(
                ConsoleForm(
                    .init(path, isQuery: true),
                    [ConsoleField("text", .search, Sentence("consolePeople.search"), value: text ?? person.lastName)],
                    button: Sentence("consolePerson.mergeSearch"), isLine: true))
        ] + (found.map { [.table(table($0))] } ?? [])
    }

    private func table(_ found: [PersonRecord]) -> Table {
        Table(
            Sentence("consolePerson.mergeOther"),
            [
                .init(Sentence("consolePeople.name")), .init(Sentence("consolePeople.userName")),
                .init(Sentence("consolePerson.personID")), .init(Sentence("consolePeople.roles")),
                .init(Sentence("consolePeople.state")), .init(Sentence("consolePerson.merge")),
            ],
            found.map { other in
                let name = PersonWords.name(of: other)
                return .init([
                    .link(name, to: PersonWords.path(of: other.number), PersonWords.badge(name, other.number)),
                    .address(other.userName), other.personID.map(Cell.text) ?? .nothing,
                    PersonWords.roles(other.roles), PersonWords.state(other.state),
                    .phrase(
                        Sentence("consolePerson.mergeThis"),
                        to: "\(path)?\(FormEncoding.encode([FormField("other", "PE-\(other.number)")]))"),
                ])
            },
            empty: Sentence("consolePeople.notFound"))
    }
}

/// What is said before two records become one.
package enum MergeWords {
    package static func heading(_ kept: PersonRecord, _ other: PersonRecord) -> Sentence {
        Sentence(
            "consolePerson.mergeConfirm", ["kept": .text(kept.userName), "other": .text(other.userName)])
    }

    package static func consequences(_ kept: PersonRecord, _ other: PersonRecord) -> [Sentence] {
        [
            Sentence("consolePerson.mergeKeeps", ["kept": .text(kept.userName)]),
            Sentence("consolePerson.mergeEnds", ["other": .text(other.userName)]),
            Sentence("consolePerson.mergeApps"),
        ]
    }

    package static var button: Sentence { Sentence("consolePerson.mergeButton") }
}
