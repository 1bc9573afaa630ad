import Administration
import Directory
import Foundation
import Ground
import ServerPages

/// What was done, by whom: the audit trail, narrowed by person, app, action, place and days.
package struct ActivityPage: ConsolePage {
    /// What the list is narrowed to.
    package struct Query: Sendable {
        package let person: String?
        package let app: String?
        package let action: AuditEntry.Action?
        package let location: String?
        package let outcome: AuditEntry.Outcome?
        /// The first and the last day, in UTC.
        package let from: CalendarDay?
        package let to: CalendarDay?
        /// The number of the entry before which the page begins.
        package let before: Int?

        package init(
            person: String?, app: String?, action: AuditEntry.Action?, location: String?, outcome: AuditEntry.Outcome?,
            from: CalendarDay?, to: CalendarDay?, before: Int?
        ) {
            self.person = person
            self.app = app
            self.action = action
            self.location = location
            self.outcome = outcome
            self.from = from
            self.to = to
            self.before = before
        }

        var isEmpty: Bool {
            person == nil && app == nil && action == nil && location == nil && outcome == nil && from == nil
                && to == nil
        }

        func path(before: Int?) -> String {
            let fields = [
                person.map { FormField("person", $0) }, app.map { FormField("app", $0) },
                action.map { FormField("action", $0.rawValue) }, location.map { FormField("at", $0) },
                outcome.map { FormField("outcome", $0.rawValue) }, from.map { FormField("from", $0.text) },
                to.map { FormField("to", $0.text) }, before.map { FormField("before", "\($0)") },
            ].compactMap(\.self)
            let path = ConsoleSection.activity.path
            return fields.isEmpty ? path : "\(path)?\(FormEncoding.encode(fields))"
        }
    }

    package let desk: Desk
    package let query: Query
    package let found: ListAudit.Answer
    package let locations: LocationChoices
    package let failure: OperationFailure?

    /// - Parameter failure: why the trail could not be narrowed so, such as because nobody is called like that.
    package init(
        desk: Desk, query: Query, found: ListAudit.Answer, locations: LocationChoices, failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.query = query
        self.found = found
        self.locations = locations
        self.failure = failure
    }

    package var section: ConsoleSection { .activity }
    package var heading: Sentence { section.label }
    package var lead: Sentence? { Sentence("consoleActivity.lead") }
    package var actions: [ConsoleLink] {
        [
            ConsoleLink(Sentence("consoleActivity.export"), to: "\(section.path)/export"),
            ConsoleLink(Sentence("consoleActivity.changes"), to: "\(section.path)/changes"),
        ]
    }

    package var parts: [Part] {
        var parts = Part.refusals(failure) + [.form(filter)]
        if let person = query.person, failure == nil {
            parts.append(
                .links([
                    ConsoleLink(
                        Sentence("consoleActivity.readers"),
                        to: "\(ConsoleSection.people.path)/\(FormEncoding.escape(person))/readers")
                ]))
        }
        parts.append(.table(table))
        return parts
    }

    private var filter: ConsoleForm {
        let all = ConsoleField.Option("", Sentence("consolePeople.all"))
        var fields = [
            ConsoleField(
                "person", .search, Sentence("consoleActivity.person"), value: query.person ?? "",
                hint: nil),
            ConsoleField("app", .search, Sentence("consoleActivity.app"), value: query.app ?? ""),
            ConsoleField(
                "action",
                .choice([all] + desk.actions.map { .init($0.rawValue, Sentence(action: $0.rawValue)) }),
                Sentence("consoleActivity.action"), value: query.action?.rawValue ?? ""),
        ]
        if locations.areSeveral {
            fields.append(
                locations.field(
                    "at", Sentence("consolePeople.location"), nowhere: Sentence("consolePeople.all"),
                    value: query.location ?? ""))
        }
        fields += [
            ConsoleField(
                "outcome",
                .choice(
                    [all]
                        + AuditEntry.Outcome.allCases.map {
                            .init($0.rawValue, Sentence("consoleActivity.outcome_\($0.rawValue)"))
                        }),
                Sentence("consoleActivity.outcome"), value: query.outcome?.rawValue ?? ""),
            ConsoleField("from", .date, Sentence("consoleActivity.from"), value: query.from?.text ?? ""),
            ConsoleField("to", .date, Sentence("consoleActivity.to"), value: query.to?.text ?? ""),
        ]
        return ConsoleForm(
            .init(section.path, isQuery: true), fields, button: Sentence("consolePeople.show"), isLine: true)
    }

    private var table: Table {
        let words = ActivityWords(names: found.names)
        return Table(
            heading,
            [
                .init(Sentence("consoleActivity.when")), .init(Sentence("consoleActivity.who")),
                .init(Sentence("consoleActivity.what")), .init(Sentence("consoleActivity.about")),
                .init(Sentence("consoleActivity.detail")),
            ],
            found.entries.map { entry in
                Table.Row([
                    .sentence(ActivityWords.time(entry.at)), words.cell(entry.actor),
                    entry.outcome == AuditEntry.Outcome.refused.rawValue
                        ? .mark(.danger, Sentence(action: entry.action)) : .sentence(Sentence(action: entry.action)),
                    words.cell(entry.subject), .verbatim(words.resolved(entry.detail)),
                ])
            },
            empty: Sentence(query.isEmpty ? "consoleActivity.none" : "consoleActivity.notFound"),
            emptyLink: query.isEmpty ? nil : ConsoleLink(Sentence("consoleActivity.showAll"), to: section.path),
            next: found.next.map { query.path(before: $0) }, first: query.before.map { _ in query.path(before: nil) })
    }

    static let sentences = AuditEntry.Outcome.allCases.map { Sentence("consoleActivity.outcome_\($0.rawValue)") }
}

/// How the console speaks of those whom the trail names by ids.
struct ActivityWords {
    /// The names by id, such as `person:12`.
    let names: [String: String]

    /// The time to the second and in UTC, as the audit trail keeps it, written as the language of the page does.
    static func time(_ date: Date) -> Sentence {
        let time = date.formatted(.iso8601.time(includingFractionalSeconds: false))
        return Sentence("consoleActivity.time", ["day": .day(date), "time": .text(time)])
    }

    func cell(_ id: String) -> Cell {
        switch id {
        case "operator": return .sentence(Sentence("consoleActivity.operator"))
        case "system": return .sentence(Sentence("consoleActivity.system"))
        case _ where id.hasPrefix("organization:"): return .sentence(Sentence("consoleActivity.organization"))
        default: break
        }
        if let topic = AccessTopic(rawValue: id) { return .sentence(topic.heading) }
        guard id.hasPrefix("person:"), let number = Int64(id.dropFirst("person:".count)) else {
            return names[id].map(Cell.text) ?? .verbatim(id)
        }
        guard let name = names[id] else { return .verbatim(id) }
        return .link(name, to: PersonWords.path(of: number))
    }

    /// A detail with names beside the ids that stand in it.
    func resolved(_ detail: String) -> String {
        detail.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let id = word.trimmingSuffix { ",;".contains($0) }
            return names[String(id)].map { "\($0) (\(id))\(word.dropFirst(id.count))" } ?? String(word)
        }.joined(separator: " ")
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while isOmitted: (Character) -> Bool) -> Substring {
        var rest = self
        while let last = rest.last, isOmitted(last) { rest = rest.dropLast() }
        return rest
    }
}
