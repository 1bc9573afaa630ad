import Administration
import Directory
import ServerPages

/// The retention rules of an organization: after how many days records of each kind go by themselves, and how many are
/// due.
package struct RetentionPage: ConsolePage {
    package let desk: Desk
    package let rules: [RetentionRecord]

    package init(desk: Desk, rules: [RetentionRecord]) {
        self.desk = desk
        self.rules = rules
    }

    package static let path = "\(ConsoleSection.settings.path)/retention"

    package static func path(of kind: RetentionRule.Kind) -> String { "\(path)/\(kind.rawValue)" }

    package var section: ConsoleSection { .settings }
    package var heading: Sentence { Sentence("consoleRetention.heading") }
    package var lead: Sentence? { Sentence("consoleRetention.lead") }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }

    package var parts: [Part] {
        let isStopped = rules.contains { $0.stoppedByHold != nil }
        return
            (isStopped
            ? [
                .message(
                    .warning, Sentence("consoleRetention.stopped"),
                    ConsoleLink(Sentence("consoleHolds.heading"), to: HoldsPage.path))
            ] : [])
            + [
                .table(
                    Table(
                        heading,
                        [
                            .init(Sentence("consoleRetention.what")), .init(Sentence("consoleRetention.after")),
                            .init(Sentence("consoleRetention.due"), isNumber: true),
                            .init(Sentence("consoleRetention.applied")),
                        ],
                        rules.map { rule in
                            Table.Row([
                                .phrase(rule.kind.heading, to: Self.path(of: rule.kind)),
                                .sentence(
                                    rule.days.map { Sentence("consoleRetention.days", ["count": .count($0)]) }
                                        ?? Sentence("consoleRetention.never")),
                                rule.due.map(Cell.count) ?? .nothing,
                                rule.appliedOn.flatMap(CalendarDay.init).map { .day($0.date) } ?? .nothing,
                            ])
                        }, empty: Sentence("consoleRetention.never")))
            ]
    }
}

/// The form of one retention rule: asks after how many days records of its kind go.
package struct EditRetentionPage: ConsolePage {
    package let desk: Desk
    package let kind: RetentionRule.Kind
    package let days: String
    package let failure: OperationFailure?

    package init(desk: Desk, kind: RetentionRule.Kind, days: String, failure: OperationFailure? = nil) {
        self.desk = desk
        self.kind = kind
        self.days = days
        self.failure = failure
    }

    package var section: ConsoleSection { .settings }
    package var heading: Sentence { kind.heading }
    package var lead: Sentence? { Sentence("consoleRetention.lead_\(kind.key)") }
    package var parent: ConsoleLink? { ConsoleLink(Sentence("consoleRetention.heading"), to: RetentionPage.path) }

    package var parts: [Part] {
        Part.refusals(failure) + [
            .form(
                ConsoleForm(
                    .init(RetentionPage.path(of: kind)),
                    [
                        ConsoleField(
                            "days", .number, Sentence("consoleRetention.after"), value: days,
                            hint: Sentence("consoleRetention.daysHint"))
                    ], button: Sentence("consoleRetention.look"),
                    cancel: ConsoleLink(Sentence("console.cancel"), to: RetentionPage.path)))
        ]
    }
}

/// The words of the page that says what a rule would do.
package enum RetentionWords {
    package static let parent = ConsoleLink(Sentence("consoleRetention.heading"), to: RetentionPage.path)

    package static let button = Sentence("console.save")

    /// What does not come back when the rule is taken back.
    package static func warning(_ kind: RetentionRule.Kind) -> Sentence {
        Sentence(kind.isForGood ? "consoleRetention.forGood" : "consoleRetention.reactivated")
    }

    package static func heading(_ kind: RetentionRule.Kind) -> Sentence { kind.heading }

    /// - Parameter due: who and what is due by the rule; nil if there is none from now on.
    package static func consequences(_ kind: RetentionRule.Kind, due: ShowDue.Answer?) -> [Sentence] {
        guard let due else { return [Sentence("consoleRetention.ends")] }
        let kept = due.people.count { $0.keptByHold != nil }
        let going = due.next == nil ? due.people.count - kept + due.rows : nil
        return [
            Sentence("consoleRetention.rule", ["count": .count(due.days)]),
            going.map { Sentence("consoleRetention.going_\(kind.key)", ["count": .count($0)]) }
                ?? Sentence("consoleRetention.many", ["count": .count(due.people.count)]),
        ]
            + (kept > 0 ? [Sentence("consoleRetention.kept", ["count": .count(kept)])] : [])
            + [Sentence("consoleRetention.nightly")]
    }

    static let sentences = RetentionRule.Kind.allCases.flatMap { kind in
        [kind.heading] + ["lead", "going"].map { Sentence("consoleRetention.\($0)_\(kind.key)") }
    }
}

extension RetentionRule.Kind {
    fileprivate var key: String { rawValue.sentenceName }
    fileprivate var heading: Sentence { Sentence("consoleRetention.kind_\(key)") }
}
