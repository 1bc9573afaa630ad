import Administration
import Ground
import ServerPages

/// The classes of a school, or those that a search finds.
package struct ClassesPage: ConsolePage {
    /// What narrows the list. It stands in the address.
    package struct Query: Sendable {
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

        var isEmpty: Bool { text == nil && location == nil && term == nil && !isArchived }

        func path(after: Int64?) -> String {
            let fields = [
                text.map { FormField("text", $0) }, location.map { FormField("at", $0) },
                term.map { FormField("term", $0) }, isArchived ? FormField("state", "archived") : nil,
                after.map { FormField("after", "\($0)") },
            ].compactMap(\.self)
            let path = ConsoleSection.classes.path
            return fields.isEmpty ? path : "\(path)?\(FormEncoding.encode(fields))"
        }
    }

    package let desk: Desk
    package let query: Query
    package let found: ListClasses.Answer
    package let locations: LocationChoices
    /// Empty for people who may not see them.
    package let terms: [TermRecord]

    package init(
        desk: Desk, query: Query, found: ListClasses.Answer, locations: LocationChoices, terms: [TermRecord]
    ) {
        self.desk = desk
        self.query = query
        self.found = found
        self.locations = locations
        self.terms = terms
    }

    package var section: ConsoleSection { .classes }
    package var heading: Sentence { Sentence("consoleClasses.heading") }
    package var actions: [ConsoleLink] {
        desk.may(.manageClasses)
            ? [
                ConsoleLink(Sentence("consoleClasses.add"), to: "\(section.path)/add"),
                ConsoleLink(Sentence("consoleTerms.heading"), to: TermsPage.path),
            ] : []
    }

    package var parts: [Part] {
        [
            .form(filter),
            .table(
                ClassWords.table(
                    found.classes, isArchived: query.isArchived,
                    empty: Sentence(query.isEmpty ? "consoleClasses.none" : "consoleClasses.notFound"),
                    emptyLink: emptyLink, next: found.next.map { query.path(after: $0) },
                    first: query.after.map { _ in query.path(after: nil) })),
        ]
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
