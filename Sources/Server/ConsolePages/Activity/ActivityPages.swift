import Administration
import Directory
import Ground
import ServerPages

/// Asks for which days the trail is wanted as a file.
package struct ActivityExportPage: ConsolePage {
    package let desk: Desk
    package let from: String
    package let to: String
    package let failure: OperationFailure?

    package init(desk: Desk, from: String = "", to: String = "", failure: OperationFailure? = nil) {
        self.desk = desk
        self.from = from
        self.to = to
        self.failure = failure
    }

    package static let path = "\(ConsoleSection.activity.path)/export"

    package var section: ConsoleSection { .activity }
    package var heading: Sentence { Sentence("consoleActivity.exportHeading") }
    package var lead: Sentence? { Sentence("consoleActivity.exportLead") }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }

    package var parts: [Part] {
        Part.refusals(failure) + [
            .form(
                ConsoleForm(
                    .init("\(Self.path)/file"),
                    [
                        ConsoleField("from", .date, Sentence("consoleActivity.from"), value: from),
                        ConsoleField("to", .date, Sentence("consoleActivity.to"), value: to),
                    ], button: Sentence("consoleActivity.download"))),
            .heading(Sentence("consoleActivity.verify"), Sentence("consoleActivity.verifyLead")),
            // The folder has to be there: the answers of timestamp authorities that are in the file are written into it.
            .code("mkdir -p stamps\nlanyard audit verify trail.jsonl --replies stamps"),
        ]
    }
}

/// The changes that can be taken back, the newest first.
package struct ActivityChangesPage: ConsolePage {
    package let desk: Desk
    package let found: ListChanges.Answer
    package let before: Int64?

    package init(desk: Desk, found: ListChanges.Answer, before: Int64?) {
        self.desk = desk
        self.found = found
        self.before = before
    }

    package static let path = "\(ConsoleSection.activity.path)/changes"

    package var section: ConsoleSection { .activity }
    package var heading: Sentence { Sentence("consoleActivity.changesHeading") }
    package var lead: Sentence? { Sentence("consoleActivity.changesLead") }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }

    package var parts: [Part] {
        let words = ActivityWords(names: found.names)
        return [
            .table(
                Table(
                    heading,
                    [
                        .init(Sentence("consoleActivity.about")), .init(Sentence("consoleActivity.operation")),
                        .init(Sentence("consoleActivity.who")), .init(Sentence("consoleActivity.when")),
                        .init(Sentence("consoleActivity.state")),
                    ],
                    found.changes.map { change in
                        Table.Row([
                            words.cell(change.subject), ChangeWords.cell(change.operation), words.cell(change.actor),
                            .sentence(ActivityWords.time(change.at)),
                            change.undoneAt == nil
                                ? .button(
                                    Sentence("console.undo"),
                                    .init("/manager/undo", [("changes", "\(change.change)"), ("from", Self.path)]))
                                : .mark(.warning, Sentence("consoleImports.takenBack")),
                        ])
                    }, empty: Sentence("consoleActivity.noChanges"),
                    next: found.next.map { "\(Self.path)?before=\($0)" }, first: before.map { _ in Self.path }))
        ]
    }
}
