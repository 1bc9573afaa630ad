import Administration
import Directory
import Ground
import ServerPages

/// The locations of an organization: schools, buildings, offices.
package struct LocationsPage: ConsolePage {
    package let desk: Desk
    package let found: ListLocations.Answer
    package let after: Int64?

    package init(desk: Desk, found: ListLocations.Answer, after: Int64?) {
        self.desk = desk
        self.found = found
        self.after = after
    }

    package var section: ConsoleSection { .locations }
    package var heading: Sentence { Sentence("consoleLocations.heading") }
    package var lead: Sentence? { Sentence("consoleLocations.lead") }
    package var actions: [ConsoleLink] { desk.mayEverywhere(.manageLocations) ? [add] : [] }

    private var add: ConsoleLink { ConsoleLink(Sentence("consoleLocations.add"), to: "\(section.path)/add") }

    package var parts: [Part] {
        [
            .table(
                Table(
                    heading,
                    [
                        .init(Sentence("consoleLocations.name")), .init(Sentence("consoleLocations.locationID")),
                        .init(Sentence("consoleLocations.domain")), .init(Sentence("consoleLocations.timeZone")),
                    ] + (desk.isSchool ? [.init(Sentence("consoleLocations.policy"))] : [])
                        + [.init(Sentence("consolePeople.heading"))],
                    found.locations.map { one in
                        .init(
                            [
                                desk.may(.manageLocations)
                                    ? .link(one.name, to: "\(section.path)/\(one.number)") : .text(one.name),
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
                                    .phrase(
                                        Sentence("consoleLocations.people"),
                                        to:
                                            "\(ConsoleSection.people.path)?\(FormEncoding.encode([FormField("at", one.id)]))"
                                    )
                                ])
                    },
                    empty: Sentence("consoleLocations.none"),
                    emptyLink: desk.mayEverywhere(.manageLocations) ? add : nil,
                    next: found.next.map { "\(section.path)?after=\($0)" }, first: after.map { _ in section.path }))
        ]
    }
}

extension LocationRecord {
    /// The number of ``id``, without `LO:`.
    package var number: Int64 { Int64(id.dropFirst("LO:".count)) ?? 0 }
}
