import Administration
import ServerPages

/// A search among the apps that can be put on a list.
package struct FindAppsPage: ConsolePage {
    package let desk: Desk
    package let topic: AccessTopic
    package let text: String?
    package let isFirst: Bool
    package let apps: [FoundApp]
    package let next: Int64?

    package init(desk: Desk, topic: AccessTopic, text: String?, isFirst: Bool, apps: [FoundApp], next: Int64?) {
        self.desk = desk
        self.topic = topic
        self.text = text
        self.isFirst = isFirst
        self.apps = apps
        self.next = next
    }

    package var section: ConsoleSection { .access }
    package var heading: Sentence { Sentence("consoleAccess.addApps") }
    package var parent: ConsoleLink? { ConsoleLink(topic.heading, to: topic.path) }

    package var parts: [Part] {
        [
            .form(
                ConsoleForm(
                    .init(topic.addPath, isQuery: true),
                    [ConsoleField("text", .search, Sentence("consoleAccess.search"), value: text ?? "")],
                    button: Sentence("consoleAccess.find"), isLine: true)), .table(table),
        ]
    }

    private func path(after: Int64?) -> String {
        let query = [text.map { ("text", $0) }, after.map { ("after", "\($0)") }].compactMap(\.self)
        return query.isEmpty ? topic.addPath : "\(topic.addPath)?\(AppWords.query(query))"
    }

    private var table: Table {
        Table(
            Sentence("consoleAccess.found"),
            [
                .init(Sentence("consoleAccess.app")), .init(Sentence("consoleAccess.team")),
                .init(Sentence("consoleAccess.clientID")), .init(Sentence("consoleAccess.action")),
            ],
            apps.map { app in
                .init([
                    .text(app.name), .text(app.team), .address(app.clientID),
                    app.isListed
                        ? .mark(.success, Sentence("consoleAccess.isListed"))
                        : .phrase(
                            Sentence("consoleAccess.add", ["app": .text(app.name.shown)]),
                            to: topic.path(of: app.number, .add)),
                ])
            },
            empty: Sentence(text == nil ? "consoleAccess.noApps" : "consoleAccess.notFound"),
            emptyLink: text.map { _ in ConsoleLink(Sentence("consoleAccess.showAll"), to: topic.addPath) },
            next: next.map { path(after: $0) }, first: isFirst ? nil : path(after: nil))
    }
}
