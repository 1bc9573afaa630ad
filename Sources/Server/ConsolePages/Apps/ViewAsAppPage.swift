import Administration
import ServerPages

/// What an app gets for a call: the very bytes.
package struct ViewAsAppPage: ConsolePage {
    package let desk: Desk
    package let app: String
    package let number: Int64
    package let call: String
    package let view: ViewAsApp.Answer?
    /// The call for the next page; nil on the last one.
    package let next: String?
    package let failure: OperationFailure?

    package init(
        desk: Desk, app: String, number: Int64, call: String, view: ViewAsApp.Answer?, next: String?,
        failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.app = app
        self.number = number
        self.call = call
        self.view = view
        self.next = next
        self.failure = failure
    }

    private var path: String { "\(AppWords.path(of: number))/view" }
    private func path(of call: String) -> String { "\(path)?\(AppWords.query([("call", call)]))" }

    package var section: ConsoleSection { .apps }
    package var heading: Sentence { Sentence("consoleView.heading", ["app": .text(app.shown)]) }
    package var parent: ConsoleLink? { ConsoleLink(.named(app), to: AppWords.path(of: number)) }
    package var lead: Sentence? { Sentence("consoleView.lead") }

    package var parts: [Part] {
        var parts: [Part] = [
            .links(
                [
                    ("consoleView.students", "users?role=Student&limit=20"),
                    ("consoleView.instructors", "users?role=Instructor&limit=20"),
                    ("consoleView.classes", "classes?limit=20"),
                ].map { ConsoleLink(Sentence($0.0), to: path(of: $0.1)) }),
            .form(
                ConsoleForm(
                    .init(path, isQuery: true),
                    [ConsoleField("call", .verbatim, Sentence("consoleView.call"), value: call)],
                    button: Sentence("consolePeople.show"), isLine: true)),
        ]
        parts += Part.refusals(failure)
        if let view {
            if !view.mayRead { parts.append(.message(.notice, Sentence("consoleView.mayNotRead"))) }
            parts.append(
                .text(Sentence("consoleView.people", ["people": .count(Set(view.people).count)])))
            parts.append(.code(view.body))
            if let next { parts.append(.links([ConsoleLink(Sentence("console.nextPage"), to: path(of: next))])) }
        }
        return parts
    }

    static let sentences = ["students", "instructors", "classes"].map { Sentence("consoleView.\($0)") }
}
