import ServerPages

/// One part of a page of the console.
package enum Part: Sendable {
    /// The heading of what follows, with a sentence below it.
    case heading(Sentence, Sentence? = nil)
    case text(Sentence)
    case message(MessageTone, Sentence, ConsoleLink? = nil)
    /// What a refusal of the server says, in English.
    case refusal(Sentence, detail: String)
    case facts([Fact])
    case table(Table)
    case form(ConsoleForm)
    /// Links one beside the other, each with its number.
    case tiles([Tile])
    /// Small charts, one beside the other.
    case charts([Chart])
    /// What needs attention, or is to be done.
    case tasks([ToDo])
    case points([Sentence])
    /// Small actions in a row, quieter than those of the page.
    case links([ConsoleLink])
    /// Text that is to be copied, such as a command.
    case code(String)
    /// A button that makes a pair of keys in the browser, puts the public one into the form and has the private one
    /// saved. It appears where scripts run. The private key never leaves the browser.
    case keyMaker(Sentence, Sentence)
    /// A request or an answer as it is sent.
    case wire(WireText)
    /// Exchanges a code and reads with the token, in the browser. It appears where scripts run.
    case exchange(Exchange)
    /// How far slow work has come.
    case progress(Progress)
    /// A password that is shown this once, as it is printed.
    case slip(Slip)

    package enum MessageTone: String, Sendable {
        case notice, success, warning, danger
    }

    var content: Content {
        var content: Content = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, Value.absent) })
        let (name, value): (String, Value) =
            switch self {
            case .heading(let heading, let lead):
                ("partHeading", .group(["partTitle": .sentence(heading), "partLead": .sentence(ifAny: lead)]))
            case .text(let text): ("partText", .sentence(text))
            case .message(let tone, let text, let link):
                (
                    "partMessage",
                    .group([
                        "tone": .text(tone.rawValue), "isDanger": .flag(tone == .danger), "message": .sentence(text),
                        "messageLink": .group(ifAny: link?.content), "messageDetail": .absent,
                    ])
                )
            case .refusal(let text, let detail):
                (
                    "partMessage",
                    .group([
                        "tone": .text("danger"), "isDanger": .flag(true), "message": .sentence(text),
                        "messageLink": .absent, "messageDetail": .text(detail),
                    ])
                )
            case .facts(let facts): ("partFacts", .group(["facts": .list(facts.map(\.content))]))
            case .table(let table): ("partTable", .group(table.content))
            case .form(let form): ("partForm", .group(form.content))
            case .tiles(let tiles): ("partTiles", .group(["tiles": .list(tiles.map(\.content))]))
            case .charts(let charts): ("partCharts", .group(["charts": .list(charts.map(\.content))]))
            case .tasks(let tasks): ("partTasks", .group(["tasks": .list(tasks.map(\.content))]))
            case .points(let points): ("partPoints", .group(["points": .list(points.map { ["point": .sentence($0)] })]))
            case .links(let links): ("partLinks", .group(["links": .list(links.map(\.content))]))
            case .code(let code): ("partCode", .text(code))
            case .keyMaker(let make, let made):
                ("partKeyMaker", .group(["keyMake": .sentence(make), "keyMade": .sentence(made)]))
            case .wire(let text): ("partWire", .group(text.content))
            case .exchange(let exchange): ("partExchange", .group(exchange.content))
            case .progress(let progress): ("partProgress", .group(progress.content))
            case .slip(let slip): ("partSlip", .group(slip.content))
            }
        content[name] = value
        return content
    }

    private static let names = [
        "partHeading", "partText", "partMessage", "partFacts", "partTable", "partForm", "partTiles", "partTasks",
        "partCharts", "partPoints", "partLinks", "partCode", "partKeyMaker", "partWire", "partExchange", "partProgress",
        "partSlip",
    ]
}

/// A name and what it is.
package struct Fact: Sendable {
    let name: Sentence
    let value: Cell

    package init(_ name: Sentence, _ value: Cell) {
        self.name = name
        self.value = value
    }

    var content: Content { ["factName": .sentence(name), "factValue": .group(value.content)] }
}

/// A number that leads to what it counts.
package struct Tile: Sendable {
    let label: Sentence
    let number: Int
    let path: String?

    /// - Parameter label: what is counted, such as “people”. The catalogue may choose its form by `number`.
    package init(_ label: Sentence, _ number: Int, to path: String?) {
        self.label = Sentence(label.key, label.values.merging(["number": .count(number)]) { own, _ in own })
        self.number = number
        self.path = path
    }

    var content: Content {
        ["tileLabel": .sentence(label), "tileNumber": .count(number), "tilePath": .text(ifAny: path)]
    }
}

/// Something to be done, or that somebody should know.
package struct ToDo: Sendable {
    package enum Urgency: String, Sendable {
        /// Something does not work.
        case danger
        case warning
        /// A step of setting up.
        case open
        case done
    }

    let urgency: Urgency
    let title: Sentence
    let explanation: Sentence?
    let link: ConsoleLink?

    package init(_ urgency: Urgency, _ title: Sentence, _ explanation: Sentence? = nil, link: ConsoleLink? = nil) {
        self.urgency = urgency
        self.title = title
        self.explanation = explanation
        self.link = link
    }

    var content: Content {
        [
            "urgency": .text(urgency.rawValue), "isDone": .flag(urgency == .done),
            "urgencyWord": .sentence(Sentence("consoleTask.\(urgency.rawValue)")),
            "taskTitle": .sentence(title), "taskText": .sentence(ifAny: explanation),
            "taskLink": .group(ifAny: link?.content),
        ]
    }

    static let sentences = ["danger", "warning", "open", "done"].map { Sentence("consoleTask.\($0)") }
}
