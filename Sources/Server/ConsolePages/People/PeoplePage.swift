import Administration
import Directory
import ServerPages

/// The people of an organization, or those whom a search finds.
package struct PeoplePage: ConsolePage {
    /// What narrows the list.
    package struct Query: ListQuery {
        package static var section: ConsoleSection { .people }
        package static var heading: Sentence { Sentence("consolePeople.heading") }

        package var text: String?
        package var role: Role?
        package var state: Person.State?
        /// `LO:` and a number.
        package var location: String?
        /// `CL-` and a number.
        package var rosterClass: String?
        package var after: Int64?

        package init(
            text: String? = nil, role: Role? = nil, state: Person.State? = nil, location: String? = nil,
            class rosterClass: String? = nil, after: Int64? = nil
        ) {
            self.text = text
            self.role = role
            self.state = state
            self.location = location
            self.rosterClass = rosterClass
            self.after = after
        }

        package var isEmpty: Bool {
            text == nil && role == nil && state == nil && location == nil && rosterClass == nil
        }

        package var fields: [(String, String)] {
            [
                text.map { ("text", $0) }, role.map { ("role", $0.rawValue) }, state.map { ("state", $0.rawValue) },
                location.map { ("at", $0) }, rosterClass.map { ("class", $0) },
            ].compactMap(\.self)
        }
    }

    package let desk: Desk
    package let query: Query
    package let found: ListPeople.Answer
    package let locations: LocationChoices
    /// Whether something was to be done to people, and nobody was ticked.
    package let isNobodyChosen: Bool

    package init(
        desk: Desk, query: Query, found: ListPeople.Answer, locations: LocationChoices, isNobodyChosen: Bool = false
    ) {
        self.desk = desk
        self.query = query
        self.found = found
        self.locations = locations
        self.isNobodyChosen = isNobodyChosen
    }

    package var section: ConsoleSection { Query.section }
    package var heading: Sentence { Query.heading }
    package var actions: [ConsoleLink] {
        (desk.may(.managePeople) ? [ConsoleLink(Sentence("consolePeople.add"), to: "/manager/people/add")] : [])
            + (desk.may(.issuePasswords)
                ? [ConsoleLink(Sentence("consolePeople.passwords"), to: "/manager/people/passwords")] : [])
    }

    package var parts: [Part] {
        (isNobodyChosen ? [.message(.warning, Sentence("consolePeople.nobodyChosen"))] : [])
            + [.form(filter), .table(table)]
    }

    private var filter: ConsoleForm {
        let all = ConsoleField.Option("", Sentence("consolePeople.all"))
        var fields = [
            ConsoleField("text", .search, Sentence("consolePeople.search"), value: query.text ?? ""),
            ConsoleField(
                "role", .choice([all] + desk.roles.map { .init($0.rawValue, $0.word) }),
                Sentence("consolePeople.role"), value: query.role?.rawValue ?? ""),
            ConsoleField(
                "state",
                .choice(
                    [all]
                        + Person.State.allCases.map {
                            .init($0.rawValue, Sentence("consolePerson.state_\($0.rawValue)"))
                        }),
                Sentence("consolePeople.state"), value: query.state?.rawValue ?? ""),
        ]
        if locations.areSeveral {
            fields.append(
                locations.field(
                    "at", Sentence("consolePeople.location"), nowhere: Sentence("consolePeople.all"),
                    value: query.location ?? ""))
        }
        return ConsoleForm(
            .init(section.path, query.rosterClass.map { [("class", $0)] } ?? [], isQuery: true), fields,
            button: Sentence("consolePeople.show"), isLine: true)
    }

    private var table: Table {
        Table(
            heading,
            [
                .init(Sentence("consolePeople.name")), .init(Sentence("consolePeople.userName")),
                .init(Sentence("consolePeople.roles")),
            ] + (desk.isSchool ? [.init(Sentence("consolePeople.grade"))] : []) + [
                .init(Sentence("consolePeople.state"))
            ],
            found.people.map { person in
                let name = PersonWords.name(of: person)
                return .init(
                    [
                        .link(name, to: PersonWords.path(of: person.number), PersonWords.badge(name, person.number)),
                        .address(person.userName), PersonWords.roles(person.roles),
                    ] + (desk.isSchool ? [person.grade.map(Cell.text) ?? .nothing] : []) + [
                        PersonWords.state(person.state)
                    ], choice: ("PE-\(person.number)", name))
            },
            empty: Sentence(query.isEmpty ? "consolePeople.none" : "consolePeople.notFound"),
            emptyLink: query.isEmpty
                ? (desk.mayEverywhere(.importRoster)
                    ? ConsoleLink(Sentence("consolePeople.import"), to: ConsoleSection.imports.path) : nil)
                : ConsoleLink(Sentence("consolePeople.showAll"), to: section.path),
            next: found.next.map { query.path(after: $0) }, first: query.after.map { _ in query.path(after: nil) },
            bulk: bulk.isEmpty ? nil : (query.bulkTarget, bulk),
            wholeList: query.offersWholeList(next: found.next) ? Sentence("consolePeople.everybody") : nil)
    }

    private var bulk: [Table.BulkAction] {
        var actions: [Table.BulkAction] = []
        if desk.may(.issuePasswords) { actions.append(.init(Sentence("consolePeople.unlock"), value: "unlock")) }
        if desk.may(.issuePasswords) { actions.append(.init(Sentence("consolePeople.signOut"), value: "sign-out")) }
        if desk.may(.managePeople) {
            actions.append(.init(Sentence("consolePeople.deactivate"), value: "deactivate"))
            actions.append(.init(Sentence("consolePeople.reactivate"), value: "reactivate"))
        }
        return actions
    }
}
