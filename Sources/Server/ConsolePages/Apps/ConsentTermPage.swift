import Administration
import ServerPages

/// How long consents last that are given from now on.
package struct ConsentTermPage: ConsolePage {
    package let desk: Desk
    /// What is in force, as the operation has it. It is its own version.
    package let term: String
    package let kind: Kind
    /// The day of each year, as `07-31`.
    package let day: String
    package let failure: OperationFailure?

    package enum Kind: String, CaseIterable, Sendable {
        case unlimited, year, day
    }

    /// - Parameter typed: what was chosen; nil for what is in force.
    package init(desk: Desk, term: String, typed: String? = nil, failure: OperationFailure? = nil) {
        self.desk = desk
        self.term = term
        let chosen = typed ?? term
        kind = Kind(rawValue: chosen) ?? .day
        day = kind == .day ? chosen : ""
        self.failure = failure
    }

    package var section: ConsoleSection { .apps }
    package var heading: Sentence { Sentence("consoleApps.term") }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }
    package var lead: Sentence? { Sentence("consoleApps.termLead") }

    package var parts: [Part] {
        Part.refusals(failure) + [
            .form(
                ConsoleForm(
                    .init(AppsPage.termPath, [("version", term)]),
                    [
                        ConsoleField(
                            "kind", .cards(Kind.allCases.map { .init($0.rawValue, Self.word($0)) }),
                            Sentence("consoleApps.termLast"), value: kind.rawValue),
                        ConsoleField(
                            "day", .verbatim, Sentence("consoleApps.termDayOfYear"), value: day,
                            hint: Sentence("consoleApps.termDayHint")),
                    ], button: Sentence("console.save"),
                    cancel: ConsoleLink(Sentence("console.cancel"), to: section.path)))
        ]
    }

    private static func word(_ kind: Kind) -> Sentence { Sentence("consoleApps.term_\(kind.rawValue)") }

    static let sentences = Kind.allCases.map(word)
}
