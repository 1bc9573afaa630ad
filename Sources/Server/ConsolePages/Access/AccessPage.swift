import Administration
import ServerPages

/// The two questions of Access Management, and what is decided about each.
package struct AccessPage: ConsolePage {
    /// A question, and what is decided about it now.
    package struct Answer: Sendable {
        let topic: AccessTopic
        let allowsAll: Bool
        let listed: Int

        package init(_ topic: AccessTopic, allowsAll: Bool, listed: Int) {
            self.topic = topic
            self.allowsAll = allowsAll
            self.listed = listed
        }
    }

    package let desk: Desk
    package let answers: [Answer]

    package init(desk: Desk, answers: [Answer]) {
        self.desk = desk
        self.answers = answers
    }

    package var section: ConsoleSection { .access }
    package var heading: Sentence { section.label }
    package var lead: Sentence? { Sentence("consoleAccess.lead") }

    package var parts: [Part] {
        [
            .table(
                Table(
                    heading,
                    [
                        .init(Sentence("consoleAccess.what")), .init(Sentence("consoleAccess.mode")),
                        .init(Sentence("consoleAccess.listedCount"), isNumber: true),
                    ],
                    answers.map { answer in
                        .init([
                            .phrase(answer.topic.heading, to: answer.topic.path),
                            .sentence(AccessTopic.mode(allowsAll: answer.allowsAll)), .count(answer.listed),
                        ])
                    }, empty: Sentence("consoleAccess.nothing")))
        ]
    }
}
