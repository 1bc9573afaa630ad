import Administration
import Directory
import Ground
import ServerPages

/// The locations of an organization: schools, buildings, offices.
package struct LocationsPage: ConsolePage {
    /// What narrows the list.
    package struct Query: ListQuery {
        package static var section: ConsoleSection { .locations }
        package static var heading: Sentence { Sentence("consoleLocations.heading") }

        package var text: String?
        /// Whether the removed locations are listed, in place of the others.
        package var isRemoved: Bool
        package var after: Int64?

        package init(text: String? = nil, isRemoved: Bool = false, after: Int64? = nil) {
            self.text = text
            self.isRemoved = isRemoved
            self.after = after
        }

        package var isEmpty: Bool { !isNarrowed && !isRemoved }

        /// Current and removed locations are two lists, and to ask for the removed ones narrows neither.
        package var isNarrowed: Bool { text != nil }

        package var fields: [(String, String)] {
            [text.map { ("text", $0) }, isRemoved ? ("state", "removed") : nil].compactMap(\.self)
        }
    }

    package let desk: Desk
    package let query: Query
    package let found: ListLocations.Answer
    /// Whether something was to be done to locations, and none was ticked.
    package let isNothingChosen: Bool

    package init(desk: Desk, query: Query, found: ListLocations.Answer, isNothingChosen: Bool = false) {
        self.desk = desk
        self.query = query
        self.found = found
        self.isNothingChosen = isNothingChosen
    }

    package var section: ConsoleSection { Query.section }
    package var heading: Sentence { Query.heading }
    package var lead: Sentence? { desk.sentence("consoleLocations.lead") }
    package var actions: [ConsoleLink] { desk.mayEverywhere(.manageLocations) ? [add] : [] }

    private var add: ConsoleLink { ConsoleLink(Sentence("consoleLocations.add"), to: "\(section.path)/add") }

    package var parts: [Part] {
        (isNothingChosen ? [.message(.warning, Sentence("consoleLocations.nothingChosen"))] : [])
            + [.form(filter), .table(table)]
    }

    private var filter: ConsoleForm {
        ConsoleForm(
            .init(section.path, isQuery: true),
            [
                ConsoleField("text", .search, Sentence("consoleLocations.search"), value: query.text ?? ""),
                ConsoleField(
                    "state",
                    .choice([
                        .init("", Sentence("consoleLocations.current")),
                        .init("removed", Sentence("consoleLocations.removed")),
                    ]), Sentence("consolePeople.state"), value: query.isRemoved ? "removed" : ""),
            ],
            button: Sentence("consolePeople.show"), isLine: true)
    }

    private var table: Table {
        Table(
            heading,
            [
                .init(Sentence("consoleLocations.name")), .init(Sentence("consoleLocations.locationID")),
                .init(Sentence("consoleLocations.domain")),
            ] + (desk.isSchool ? [.init(Sentence("consoleLocations.policy"))] : []) + [
                .init(Sentence(query.isRemoved ? "consoleLocations.removedOn" : "consolePeople.heading"))
            ],
            found.locations.map(row),
            empty: Sentence(query.isEmpty ? "consoleLocations.none" : "consoleLocations.notFound"),
            emptyLink: emptyLink, next: found.next.map { query.path(after: $0) },
            first: query.after.map { _ in query.path(after: nil) },
            bulk: desk.mayRemoveLocations ? (query.bulkTarget, bulk) : nil,
            wholeList: desk.mayRemoveLocations && query.offersWholeList(next: found.next)
                ? Sentence("consoleLocations.wholeList") : nil)
    }

    private func row(_ one: LocationRecord) -> Table.Row {
        let people = "\(ConsoleSection.people.path)?\(FormEncoding.encode([FormField("at", one.id)]))"
        let policy = (one.studentPasswordPolicy ?? .standard).rawValue
        return .init(
            [
                desk.mayChange(one) ? .link(one.name, to: LocationPage.path(of: one.number)) : .text(one.name),
                one.locationID.map(Cell.text) ?? .nothing, one.domain.map(Cell.address) ?? .nothing,
            ] + (desk.isSchool ? [.sentence(Sentence("consolePerson.policy_\(policy)"))] : []) + [
                one.removedAt.map(Cell.day) ?? .phrase(Sentence("consoleLocations.people"), to: people)
            ],
            choice: desk.mayRemoveLocations ? (one.id, one.name) : nil)
    }

    private var bulk: [Table.BulkAction] {
        LocationAction.allCases.filter { $0.needsRemoved == query.isRemoved }.map {
            Table.BulkAction($0.button, value: $0.rawValue)
        }
    }

    private var emptyLink: ConsoleLink? {
        if !query.isEmpty { return ConsoleLink(Sentence("consoleLocations.showAll"), to: section.path) }
        return desk.mayEverywhere(.manageLocations) ? add : nil
    }
}

extension LocationRecord {
    /// The number of ``id``, without `LO:`.
    package var number: Int64 { Int64(id.dropFirst("LO:".count)) ?? 0 }
}
