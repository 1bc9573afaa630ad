import Administration
import ServerPages

/// What a change would do, before it is done: how many it concerns, who they are, and what it means for them.
package struct ConfirmPage: DeskPage {
    package let frame: Frame
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
    /// What the page says in place of the general sentence on whether the change can be taken back: for a change that can for a
    /// while, or only in part.
    package let warning: Sentence?
    /// What was wrong with what was typed.
    package let failure: OperationFailure?
    /// Whether there is anything to confirm.
    package let hasEffect: Bool

    package init(
        desk: Desk, section: ConsoleSection, heading: Sentence, parent: ConsoleLink?, consequences: [Sentence] = [],
        preview: Preview, action: String, inputs: [(String, String)] = [], fields: [ConsoleField] = [],
        button: Sentence, isFinal: Bool = false, warning: Sentence? = nil,
        failure: OperationFailure? = nil, hasEffect: Bool = true
    ) {
        self.init(
            frame: desk.frame(in: section), heading: heading, parent: parent, consequences: consequences,
            preview: preview, action: action, inputs: inputs, fields: fields, button: button, isFinal: isFinal,
            warning: warning, failure: failure, hasEffect: hasEffect)
    }

    package init(
        frame: Frame, heading: Sentence, parent: ConsoleLink?, consequences: [Sentence] = [], preview: Preview,
        action: String, inputs: [(String, String)] = [], fields: [ConsoleField] = [], button: Sentence,
        isFinal: Bool = false, warning: Sentence? = nil,
        failure: OperationFailure? = nil, hasEffect: Bool = true
    ) {
        self.hasEffect = hasEffect
        self.frame = frame
        self.warning = warning
        self.failure = failure
        self.fields = fields
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

    /// How many names are listed at most. Of the others, the page says how many they are.
    private static let namesMax = 50

    package var parts: [Part] {
        var parts = Part.refusals(failure)
        if !hasEffect { parts.append(.message(.notice, Sentence("consoleConfirm.nothing"))) }
        if !consequences.isEmpty { parts.append(.points(consequences)) }
        let cancel = parent.map { ConsoleLink(Sentence("console.cancel"), to: $0.path) }
        guard hasEffect else { return parts + (cancel.map { [.links([$0])] } ?? []) }
        parts.append(
            isFinal
                ? .message(.warning, warning ?? Sentence("consoleConfirm.final"))
                : .text(warning ?? Sentence("consoleConfirm.undoable")))
        parts.append(
            .form(
                ConsoleForm(
                    target, fields, button: button, isDangerous: isFinal, cancel: cancel)))
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
        self.init("auditAction.\(action.sentenceName)")
    }
}
