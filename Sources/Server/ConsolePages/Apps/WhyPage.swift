import Administration
import ServerPages

/// Why an app gets data of a person, or gets none, and what would change it.
package struct WhyPage: ConsolePage {
    package let desk: Desk
    package let app: String
    package let number: Int64
    package let person: String
    package let answer: ExplainAccess.Answer?
    package let failure: OperationFailure?

    package init(
        desk: Desk, app: String, number: Int64, person: String, answer: ExplainAccess.Answer? = nil,
        failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.app = app
        self.number = number
        self.person = person
        self.answer = answer
        self.failure = failure
    }

    /// Where the question about one person is answered.
    static func path(of app: Int64, about person: Int64) -> String {
        "\(AppWords.path(of: app))/why?person=PE-\(person)"
    }

    package var section: ConsoleSection { .apps }
    package var heading: Sentence { Sentence("consoleWhy.heading", ["app": .text(app.shown)]) }
    package var parent: ConsoleLink? { ConsoleLink(.named(app), to: AppWords.path(of: number)) }

    package var parts: [Part] {
        let form = Part.form(
            ConsoleForm(
                .init("\(AppWords.path(of: number))/why", isQuery: true),
                [
                    ConsoleField(
                        "person", .verbatim, Sentence("consoleWhy.person"), value: person, isRequired: true)
                ], button: Sentence("consoleWhy.ask"), isLine: true))
        guard let answer else { return [form] + Part.refusals(failure) }
        return [form] + verdict(answer.signIn, Sentence("consoleWhy.signIn"), of: answer)
            + (answer.roster.reason == .organizationIsNoSchool
                ? [] : verdict(answer.roster, Sentence("consoleWhy.roster"), of: answer))
    }

    private func verdict(_ verdict: AccessVerdict, _ title: Sentence, of answer: ExplainAccess.Answer) -> [Part] {
        let words: Content = [
            "person": .text(answer.person.shown), "app": .text(answer.app.shown),
            "organization": .text((answer.organization ?? "").shown),
        ]
        var facts = [
            Fact(
                Sentence("consoleWhy.answer"),
                verdict.isAllowed
                    ? .mark(.success, Sentence("consoleWhy.yes")) : .mark(.danger, Sentence("consoleWhy.no"))),
            Fact(Sentence("consoleWhy.because"), .sentence(Self.reason(verdict.reason, words))),
            Fact(Sentence("consoleWhy.change"), .sentence(Self.remedy(verdict.reason, words))),
        ]
        if !verdict.fields.isEmpty {
            facts.append(Fact(Sentence("consoleWhy.fields"), .chips(verdict.fields.map { .named($0) })))
        }
        if let classes = verdict.classes {
            facts.append(Fact(Sentence("consoleWhy.inClasses"), .count(classes)))
        }
        return [.heading(title), .facts(facts)]
    }

    private static func key(_ reason: AccessVerdict.Reason) -> String { reason.rawValue.sentenceName }
    private static func reason(_ reason: AccessVerdict.Reason, _ words: Content = [:]) -> Sentence {
        Sentence("consoleWhy.\(key(reason))", words)
    }
    private static func remedy(_ reason: AccessVerdict.Reason, _ words: Content = [:]) -> Sentence {
        Sentence("consoleWhy.\(key(reason))__change", words)
    }

    static let sentences = AccessVerdict.Reason.allCases.flatMap { [reason($0), remedy($0)] }
}
