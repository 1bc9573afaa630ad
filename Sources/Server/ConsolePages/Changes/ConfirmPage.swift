import Administration
import ServerPages

/// What a change would do, before it is done: how many it concerns, who they are, and what it means for them.
package struct ConfirmPage: ConsolePage {
    package let desk: Desk
    package let section: ConsoleSection
    package let heading: Sentence
    package let parent: ConsoleLink?
    /// What follows for people, in sentences of the change's own.
    package let consequences: [Sentence]
    package let preview: Preview
    /// Where the confirmation is sent, with the inputs of the change.
    package let target: ConsoleForm.Target
    package let button: Sentence
    /// What has to be typed first, such as a name.
    package let fields: [ConsoleField]
    /// Whether nothing takes the change back.
    package let isFinal: Bool

    package init(
        desk: Desk, section: ConsoleSection, heading: Sentence, parent: ConsoleLink?, consequences: [Sentence] = [],
        preview: Preview, action: String, inputs: [(String, String)] = [], fields: [ConsoleField] = [],
        button: Sentence, isFinal: Bool = false
    ) {
        self.fields = fields
        self.desk = desk
        self.section = section
        self.heading = heading
        self.parent = parent
        self.consequences = consequences
        self.preview = preview
        self.target = ConsoleForm.Target(
            action,
            inputs + [("confirmed", "yes")] + (preview.version.map { [("version", $0)] } ?? []))
        self.button = button
        self.isFinal = isFinal
    }

    /// Names that are listed; of more, the number is told.
    private static let namesMax = 50

    package var parts: [Part] {
        var parts: [Part] = consequences.isEmpty ? [] : [.points(consequences)]
        parts.append(
            isFinal
                ? .message(.warning, Sentence("consoleConfirm.final"))
                : .text(Sentence("consoleConfirm.undoable")))
        parts.append(
            .form(
                ConsoleForm(
                    target, fields, button: button, isDangerous: isFinal,
                    cancel: parent.map { ConsoleLink(Sentence("console.cancel"), to: $0.path) })))
        parts.append(
            .heading(Sentence("consoleConfirm.effects", ["total": .count(preview.counts.values.reduce(0, +))])))
        parts.append(.table(EffectTable.table(preview.effects, shown: Self.namesMax)))
        let more = preview.counts.values.reduce(0, +) - min(preview.effects.count, Self.namesMax)
        if more > 0 { parts.append(.text(Sentence("consoleConfirm.more", ["count": .count(more)]))) }
        return parts
    }
}

/// The effects of a change in a table.
enum EffectTable {
    static func table(_ effects: [Effect], shown: Int) -> Table {
        Table(
            Sentence("consoleConfirm.effectsCaption"),
            [Table.Column(Sentence("consoleConfirm.what")), Table.Column(Sentence("consoleConfirm.change"))],
            effects.prefix(shown).map { effect in
                Table.Row([.text(effect.name), .sentence(Sentence(action: effect.action))])
            },
            empty: Sentence("consoleConfirm.nothing"))
    }
}

extension Sentence {
    /// What the audit trail's word for an action says to people.
    /// - Parameter action: for example `person.changed`.
    package init(action: String) {
        self.init("auditAction.\(action.replacing("-", with: "_").replacing(".", with: "__"))")
    }
}

/// What was taken back.
package struct UndonePage: ConsolePage {
    package let desk: Desk
    package let effects: [Effect]
    /// Why some changes were not taken back, such as because somebody has changed the same again.
    package let failures: [OperationFailure]
    /// Where the change was made.
    package let back: String

    package init(desk: Desk, effects: [Effect], failures: [OperationFailure] = [], back: String) {
        self.desk = desk
        self.effects = effects
        self.failures = failures
        self.back = back
    }

    package var section: ConsoleSection { .home }
    package var heading: Sentence { Sentence(effects.isEmpty ? "consoleConfirm.notUndone" : "consoleConfirm.undone") }
    package var actions: [ConsoleLink] { [ConsoleLink(Sentence("console.goOn"), to: back)] }
    package var parts: [Part] {
        failures.map { .refusal(Sentence("consoleConfirm.stays"), detail: $0.detail) }
            + (effects.isEmpty ? [] : [.table(EffectTable.table(effects, shown: 200))])
    }
}

/// Why something was not shown or not done.
package struct ConsoleProblemPage: ConsolePage {
    package let desk: Desk
    package let section: ConsoleSection
    package let failure: OperationFailure

    package init(desk: Desk, section: ConsoleSection, failure: OperationFailure) {
        self.desk = desk
        self.section = section
        self.failure = failure
    }

    package var heading: Sentence { Sentence("consoleProblem.\(word)") }
    package var actions: [ConsoleLink] { [ConsoleLink(Sentence("console.goOn"), to: section.path)] }
    package var parts: [Part] {
        [.refusal(Sentence("consoleProblem.\(word)Text"), detail: failure.detail)]
    }

    private var word: String {
        switch failure.kind {
        case .unauthorized, .forbidden: "forbidden"
        case .notFound: "notFound"
        case .stale: "stale"
        case .ambiguous, .invalid, .refused, .items: "refused"
        case .unavailable: "unavailable"
        }
    }

    static let sentences = ["forbidden", "notFound", "stale", "refused", "unavailable"].flatMap {
        [Sentence("consoleProblem.\($0)"), Sentence("consoleProblem.\($0)Text")]
    }
}
