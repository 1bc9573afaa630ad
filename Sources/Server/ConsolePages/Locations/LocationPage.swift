import Administration
import Directory
import Ground
import ServerPages

/// One location, with how much belongs to it. Each number leads to the list that has what it counts.
package struct LocationPage: ConsolePage {
    package let desk: Desk
    package let found: ShowLocation.Answer

    package init(desk: Desk, found: ShowLocation.Answer) {
        self.desk = desk
        self.found = found
    }

    package static func path(of number: Int64) -> String { "\(ConsoleSection.locations.path)/\(number)" }

    private var location: LocationRecord { found.location }

    package var section: ConsoleSection { .locations }
    package var heading: Sentence { .named(location.name) }
    package var parent: ConsoleLink? { ConsoleLink(Sentence("consoleLocations.heading"), to: section.path) }
    package var actions: [ConsoleLink] {
        isRemoved ? [] : [ConsoleLink(Sentence("consolePerson.edit"), to: "\(Self.path(of: location.number))/edit")]
    }

    private var isRemoved: Bool { location.removedAt != nil }

    package var parts: [Part] {
        (location.removedAt.map { [.message(.notice, Sentence("consoleLocations.isRemoved", ["day": .day($0)]))] } ?? [])
            + [.facts(facts)] + changes + (isRemoved ? [] : belongings)
    }

    private var changes: [Part] {
        guard desk.mayRemoveLocations else { return [] }
        let path = Self.path(of: location.number)
        return [
            .links(
                LocationAction.allCases.filter { $0.needsRemoved == isRemoved }
                    .map { ConsoleLink($0.button, to: "\(path)/\($0.rawValue)") })
        ]
    }

    private var belongings: [Part] {
        [
            .heading(Sentence("consoleLocations.belongs")),
            .table(
                Table(
                    Sentence("consoleLocations.belongs"),
                    [.init(Sentence("consoleLocations.what")), .init(Sentence("consoleLocations.number"))],
                    [row(Sentence("consolePeople.heading"), found.people, in: .people)]
                        + found.roles.map { row($0.role.word, $0.number, in: .people, [("role", $0.role.rawValue)]) }
                        + (desk.isSchool ? [row(Sentence("consoleClasses.heading"), found.classes, in: .classes)] : []),
                    empty: Sentence("consoleLocations.none"))),
        ]
    }

    private func row(
        _ what: Sentence, _ number: Int, in section: ConsoleSection, _ filter: [(String, String)] = []
    ) -> Table.Row {
        let fields = [FormField("at", location.id)] + filter.map { FormField($0.0, $0.1) }
        let mayOpen = desk.may(.readPeople) && number > 0
        return .init([
            mayOpen ? .phrase(what, to: "\(section.path)?\(FormEncoding.encode(fields))") : .sentence(what),
            .count(number, upTo: Location.countedMax),
        ])
    }

    private var facts: [Fact] {
        func optional(_ key: String, _ value: Cell?) -> [Fact] {
            value.map { [Fact(Sentence("consoleLocations.\(key)"), $0)] } ?? []
        }
        let policy = Sentence("consolePerson.policy_\((location.studentPasswordPolicy ?? .standard).rawValue)")
        return optional("locationID", location.locationID.map(Cell.text))
            + optional("domain", location.domain.map(Cell.address))
            + optional("timeZone", location.timeZone.map(Cell.text))
            + optional("policy", desk.isSchool ? .sentence(policy) : nil)
            + [
                Fact(
                    Sentence("consolePerson.source"),
                    .sentence(Sentence("consolePerson.source_\(location.source.rawValue)")))
            ]
            + found.pickUps.map { number in
                Fact(
                    Sentence("consoleLocations.files"),
                    desk.mayEverywhere(.importRoster)
                        ? .phrase(Sentence("consoleLocations.folder"), to: "\(PickUpsPage.path)/\(number)")
                        : .sentence(Sentence("consoleLocations.folder")))
            }
    }
}
