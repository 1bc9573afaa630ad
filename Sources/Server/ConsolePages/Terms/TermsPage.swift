import Administration
import Directory
import Ground
import ServerPages

/// The terms and school years of a school.
package struct TermsPage: ConsolePage {
    package let desk: Desk
    package let terms: [TermRecord]

    package init(desk: Desk, terms: [TermRecord]) {
        self.desk = desk
        self.terms = terms
    }

    package static let path = "\(ConsoleSection.classes.path)/terms"

    /// - Parameter page: the last part of the path.
    package static func path(of term: String, _ page: String) -> String {
        "\(path)/\(page)?\(FormEncoding.encode([FormField("term", term)]))"
    }

    package var section: ConsoleSection { .classes }
    package var heading: Sentence { Sentence("consoleTerms.heading") }
    package var lead: Sentence? { Sentence("consoleTerms.lead") }
    package var parent: ConsoleLink? { ConsoleLink(Sentence("consoleClasses.heading"), to: section.path) }
    package var actions: [ConsoleLink] { [ConsoleLink(Sentence("consoleTerms.add"), to: "\(Self.path)/add")] }

    package var parts: [Part] {
        [
            .table(
                Table(
                    heading,
                    [
                        .init(Sentence("consoleTerms.name")), .init(Sentence("consoleTerms.firstDay")),
                        .init(Sentence("consoleTerms.lastDay")), .init(Sentence("consolePeople.location")),
                        .init(Sentence("consoleClasses.heading"), isNumber: true),
                        .init(Sentence("consolePeople.state")),
                        .init(Sentence("consoleTerms.action")),
                    ],
                    terms.map { term in
                        let action: TermAction = term.closedAt == nil ? .close : .reopen
                        let isTheirs = desk.managesClasses(at: term.locationID)
                        return .init([
                            isTheirs ? .link(term.name, to: Self.path(of: term.name, "edit")) : .text(term.name),
                            .day(term.firstDay.date),
                            .day(term.lastDay.date), term.location.map(Cell.text) ?? .nothing, .count(term.classes),
                            .mark(
                                term.closedAt == nil ? .success : .notice,
                                Sentence(term.closedAt == nil ? "consoleTerms.open" : "consoleTerms.closed")),
                            isTheirs
                                ? .phrase(action.button, to: Self.path(of: term.name, action.rawValue)) : .nothing,
                        ])
                    },
                    empty: Sentence("consoleTerms.none"),
                    emptyLink: ConsoleLink(Sentence("consoleTerms.add"), to: "\(Self.path)/add")))
        ]
    }
}

/// What is done with a term, after the page has said what follows.
package enum TermAction: String, CaseIterable, Sendable {
    case close, reopen

    package func heading(of name: String) -> Sentence {
        Sentence("consoleTerms.\(rawValue)Heading", ["name": .text(name)])
    }

    package func consequences(for term: TermRecord) -> [Sentence] {
        [Sentence("consoleTerms.\(rawValue)Text", ["count": .count(term.classes)])]
    }

    package static var parent: Sentence { Sentence("consoleTerms.heading") }

    package var button: Sentence { Sentence("consoleTerms.\(rawValue)") }

    static let sentences = allCases.flatMap { action in
        ["", "Heading", "Text"].map { Sentence("consoleTerms.\(action.rawValue)\($0)") }
    }
}
