import Administration
import ServerPages

/// The classes of a school, or those that a search finds.
package struct ClassesPage: ConsolePage {
    /// What narrows the list.
    package struct Query: ListQuery {
        package static var section: ConsoleSection { .classes }
        package static var heading: Sentence { Sentence("consoleClasses.heading") }

        package var text: String?
        /// `LO:` and a number.
        package var location: String?
        /// The name of a term.
        package var term: String?
        package var isArchived: Bool
        package var after: Int64?

        package init(text: String?, location: String?, term: String?, isArchived: Bool, after: Int64?) {
            self.text = text
            self.location = location
            self.term = term
            self.isArchived = isArchived
            self.after = after
        }

        package var isEmpty: Bool { !isNarrowed && !isArchived }

        /// Current and archived classes are two lists, and to ask for the archived ones narrows neither.
        package var isNarrowed: Bool { text != nil || location != nil || term != nil }

        package var fields: [(String, String)] {
            let fields: [(String, String)?] = [
                text.map { ("text", $0) }, location.map { ("at", $0) }, term.map { ("term", $0) },
                isArchived ? ("state", "archived") : nil,
            ]
            return fields.compactMap(\.self)
        }
    }

    package let desk: Desk
    package let query: Query
    package let found: ListClasses.Answer
    package let locations: LocationChoices
    /// Empty for people who may not see them.
    package let terms: [TermRecord]
    /// Whether something was to be done to classes, and none was ticked.
    package let isNothingChosen: Bool

    package init(
        desk: Desk, query: Query, found: ListClasses.Answer, locations: LocationChoices, terms: [TermRecord],
        isNothingChosen: Bool = false
    ) {
        self.desk = desk
        self.query = query
        self.found = found
        self.locations = locations
        self.terms = terms
        self.isNothingChosen = isNothingChosen
    }

    package var section: ConsoleSection { Query.section }
    package var heading: Sentence { Query.heading }
    package var actions: [ConsoleLink] {
        desk.may(.manageClasses)
            ? [
                ConsoleLink(Sentence("consoleClasses.add"), to: "\(section.path)/add"),
                ConsoleLink(Sentence("consoleTerms.heading"), to: TermsPage.path),
            ] : []
    }

    package var parts: [Part] {
        (isNothingChosen ? [.message(.warning, Sentence("consoleClasses.nothingChosen"))] : [])
            + [.form(filter), .table(table)]
    }

    private var table: Table {
        ClassWords.table(
            found.classes, isArchived: query.isArchived,
            empty: Sentence(query.isEmpty ? "consoleClasses.none" : "consoleClasses.notFound"),
            emptyLink: emptyLink, next: found.next.map { query.path(after: $0) },
            first: query.after.map { _ in query.path(after: nil) },
            bulk: bulk.isEmpty ? nil : (query.bulkTarget, bulk),
            wholeList: query.offersWholeList(next: found.next) ? Sentence("consoleClasses.wholeList") : nil)
    }

    private var bulk: [Table.BulkAction] {
        guard desk.may(.manageClasses) else { return [] }
        return ClassAction.forSeveral.filter { $0.needsArchived == query.isArchived }.map {
            Table.BulkAction($0.button, value: $0.rawValue)
        }
    }

    private var emptyLink: ConsoleLink? {
        if !query.isEmpty { return ConsoleLink(Sentence("consoleClasses.showAll"), to: section.path) }
        return desk.may(.manageClasses)
            ? ConsoleLink(Sentence("consoleClasses.add"), to: "\(section.path)/add") : nil
    }

    private var filter: ConsoleForm {
        let all = ConsoleField.Option("", Sentence("consolePeople.all"))
        var fields = [
            ConsoleField("text", .search, Sentence("consoleClasses.search"), value: query.text ?? "")
        ]
        if locations.areSeveral {
            fields.append(
                locations.field(
                    "at", Sentence("consolePeople.location"), nowhere: Sentence("consolePeople.all"),
                    value: query.location ?? ""))
        }
        if !terms.isEmpty {
            fields.append(
                ConsoleField(
                    "term", .choice([all] + terms.map { .init($0.name, .named($0.name)) }),
                    Sentence("consoleClasses.term"), value: query.term ?? ""))
        }
        fields.append(
            ConsoleField(
                "state",
                .choice([
                    .init("", Sentence("consoleClasses.current")),
                    .init("archived", Sentence("consoleClasses.archived")),
                ]), Sentence("consolePeople.state"), value: query.isArchived ? "archived" : ""))
        return ConsoleForm(
            .init(section.path, isQuery: true), fields, button: Sentence("consolePeople.show"), isLine: true)
    }
}
