import Administration
import Directory
import ServerPages

/// Legal holds: whose records must not be erased, why, and until when.
package struct HoldsPage: ConsolePage {
    package let desk: Desk
    package let holds: [HoldRecord]
    package let typed: [String: String]
    package let failure: OperationFailure?

    package init(
        desk: Desk, holds: [HoldRecord], typed: [String: String] = [:], failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.holds = holds
        self.typed = typed
        self.failure = failure
    }

    package static let path = "\(ConsoleSection.settings.path)/holds"
    package static let names = ["person", "reason", "until"]

    package var section: ConsoleSection { .settings }
    package var heading: Sentence { Sentence("consoleHolds.heading") }
    package var lead: Sentence? { Sentence("consoleHolds.lead") }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }

    package var parts: [Part] {
        Part.refusals(failure) + [
            .table(
                Table(
                    heading,
                    [
                        .init(Sentence("consoleHolds.whom")), .init(Sentence("consoleHolds.reason")),
                        .init(Sentence("consoleHolds.until")), .init(Sentence("consolePeople.state")),
                        .init(Sentence("consoleAccess.action")),
                    ], holds.map(row), empty: Sentence("consoleHolds.none"))),
            .heading(Sentence("consoleHolds.add")),
            .form(
                ConsoleForm(
                    .init(Self.path),
                    [
                        ConsoleField(
                            "person", .verbatim, Sentence("consoleHolds.person"), value: typed["person"] ?? "",
                            hint: Sentence("consoleHolds.personHint")),
                        ConsoleField(
                            "reason", .text, Sentence("consoleHolds.reason"), value: typed["reason"] ?? "",
                            hint: Sentence("consoleHolds.reasonHint"), isRequired: true),
                        ConsoleField(
                            "until", .date, Sentence("consoleHolds.until"), value: typed["until"] ?? "",
                            isRequired: true),
                    ], button: Sentence("consoleHolds.add"))),
        ]
    }

    private func row(_ hold: HoldRecord) -> Table.Row {
        let whom: Cell =
            if let number = hold.person {
                .link(hold.fullName ?? "PE-\(number)", to: PersonWords.path(of: number))
            } else {
                .sentence(Sentence("consoleHolds.everybody"))
            }
        return Table.Row([
            whom, .text(hold.reason), CalendarDay(hold.until).map { .day($0.date) } ?? .nothing,
            .mark(
                hold.isInForce ? .warning : .notice,
                Sentence(hold.isInForce ? "consoleHolds.inForce" : "consoleHolds.over")),
            hold.isInForce
                ? .button(Sentence("consoleHolds.end"), .init("\(Self.path)/\(hold.hold)/end")) : .nothing,
        ])
    }
}
