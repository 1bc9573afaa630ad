import Administration
import ServerPages

/// One of the questions: its mode, and the apps on its list.
package struct AccessTopicPage: ConsolePage {
    package let desk: Desk
    package let topic: AccessTopic
    package let record: AccessRecord
    package let allowsAll: Bool
    package let people: Int
    package let failure: OperationFailure?

    /// - Parameter people: how many people the organization has.
    package init(
        desk: Desk, topic: AccessTopic, record: AccessRecord, allowsAll: Bool, people: Int,
        failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.topic = topic
        self.record = record
        self.allowsAll = allowsAll
        self.people = people
        self.failure = failure
    }

    package var section: ConsoleSection { .access }
    package var heading: Sentence { topic.heading }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }
    package var lead: Sentence? { topic.sentence("lead", ["people": .count(people)]) }
    package var actions: [ConsoleLink] { [ConsoleLink(Sentence("consoleAccess.addApps"), to: topic.addPath)] }

    package var parts: [Part] {
        Part.refusals(failure) + [.form(modes), .heading(Sentence("consoleAccess.list"))]
            + (allowsAll && !record.apps.isEmpty ? [.text(topic.sentence("notInForce"))] : []) + [.table(table)]
    }

    private var modes: ConsoleForm {
        ConsoleForm(
            .init("\(topic.path)/mode"),
            [
                ConsoleField(
                    "mode",
                    .cards(
                        [true, false].map { all in
                            .init(
                                all ? "all" : "listed", AccessTopic.mode(allowsAll: all),
                                topic.sentence(all ? "allText" : "listedText"))
                        }),
                    Sentence("consoleAccess.mode"), value: allowsAll ? "all" : "listed")
            ], button: Sentence("consoleAccess.continue"))
    }

    private var table: Table {
        var columns: [Table.Column] = [
            .init(Sentence("consoleAccess.app")), .init(Sentence("consoleAccess.clientID")),
        ]
        if topic == .dataSharing { columns.append(.init(Sentence("consoleAccess.connection"))) }
        columns.append(.init(Sentence("consoleAccess.action")))
        return Table(
            Sentence("consoleAccess.list"), columns,
            record.apps.map { app in
                var cells: [Cell] = [
                    desk.isSchool && desk.may(.shareData)
                        ? .link(app.name, to: AppWords.path(of: app.number), AppWords.badge(app.name, app.clientID))
                        : .text(app.name), .address(app.clientID),
                ]
                if topic == .dataSharing {
                    cells.append(
                        app.isConnected
                            ? .mark(.success, Sentence("consoleAccess.connected"))
                            : .mark(.notice, Sentence("consoleAccess.notConnected")))
                }
                cells.append(
                    .phrase(
                        Sentence("consoleAccess.remove", ["app": .text(app.name.shown)]),
                        to: topic.path(of: app.number, .remove)))
                return .init(cells)
            }, empty: topic.sentence("empty"),
            emptyLink: ConsoleLink(Sentence("consoleAccess.addApps"), to: topic.addPath))
    }
}
