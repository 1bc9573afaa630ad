import Administration
import Directory
import Ground
import ServerPages

/// The locations of an organization: schools, buildings, offices.
package struct LocationsPage: ConsolePage {
    package let desk: Desk
    /// What narrows the list; nil for all.
    package let text: String?
    /// Whether the removed locations are listed, in place of the others.
    package let isRemoved: Bool
    package let found: ListLocations.Answer
    package let after: Int64?

    package init(desk: Desk, text: String? = nil, isRemoved: Bool = false, found: ListLocations.Answer, after: Int64?) {
        self.desk = desk
        self.text = text
        self.isRemoved = isRemoved
        self.found = found
        self.after = after
    }

    private func path(after: Int64?) -> String {
        let fields = [
            text.map { FormField("text", $0) }, isRemoved ? FormField("state", "removed") : nil,
            after.map { FormField("after", "\($0)") },
        ].compactMap(\.self)
        return fields.isEmpty ? section.path : "\(section.path)?\(FormEncoding.encode(fields))"
    }

    package var section: ConsoleSection { .locations }
    package var heading: Sentence { Sentence("consoleLocations.heading") }
    package var lead: Sentence? { desk.sentence("consoleLocations.lead") }
    package var actions: [ConsoleLink] { desk.mayEverywhere(.manageLocations) ? [add] : [] }

    private var add: ConsoleLink { ConsoleLink(Sentence("consoleLocations.add"), to: "\(section.path)/add") }

    package var parts: [Part] {
        [
            .form(
                ConsoleForm(
                    .init(section.path, isQuery: true),
                    [
                        ConsoleField("text", .search, Sentence("consoleLocations.search"), value: text ?? ""),
                        ConsoleField(
                            "state",
                            .choice([
                                .init("", Sentence("consoleLocations.current")),
                                .init("removed", Sentence("consoleLocations.removed")),
                            ]), Sentence("consolePeople.state"), value: isRemoved ? "removed" : ""),
                    ],
                    button: Sentence("consolePeople.show"), isLine: true)),
            .table(
                Table(
                    heading,
                    [
                        .init(Sentence("consoleLocations.name")), .init(Sentence("consoleLocations.locationID")),
                        .init(Sentence("consoleLocations.domain")), .init(Sentence("consoleLocations.timeZone")),
                    ] + (desk.isSchool ? [.init(Sentence("consoleLocations.policy"))] : [])
                        + [
                            isRemoved
                                ? .init(Sentence("consoleLocations.removedOn"))
                                : .init(Sentence("consolePeople.heading"))
                        ],
                    found.locations.map { one in
                        .init(
                            [
                                desk.mayChange(one)
                                    ? .link(one.name, to: LocationPage.path(of: one.number)) : .text(one.name),
                                one.locationID.map(Cell.text) ?? .nothing, one.domain.map(Cell.address) ?? .nothing,
                                one.timeZone.map(Cell.text) ?? .nothing,
                            ]
                                + (desk.isSchool
                                    ? [
                                        .sentence(
                                            Sentence(
                                                "consolePerson.policy_\((one.studentPasswordPolicy ?? .standard).rawValue)"
                                            ))
                                    ] : [])
                                + [
                                    one.removedAt.map(Cell.day)
                                        ?? .phrase(
                                            Sentence("consoleLocations.people"),
                                            to:
                                                "\(ConsoleSection.people.path)?\(FormEncoding.encode([FormField("at", one.id)]))"
                                        )
                                ])
                    },
                    empty: Sentence(isAll ? "consoleLocations.none" : "consoleLocations.notFound"),
                    emptyLink: emptyLink, next: found.next.map { path(after: $0) },
                    first: after.map { _ in path(after: nil) })),
        ]
    }

    private var isAll: Bool { text == nil && !isRemoved }

    private var emptyLink: ConsoleLink? {
        if !isAll { return ConsoleLink(Sentence("consoleLocations.showAll"), to: section.path) }
        return desk.mayEverywhere(.manageLocations) ? add : nil
    }
}

extension LocationRecord {
    /// The number of ``id``, without `LO:`.
    package var number: Int64 { Int64(id.dropFirst("LO:".count)) ?? 0 }
}
