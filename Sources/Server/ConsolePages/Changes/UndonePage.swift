import Administration
import ServerPages

/// What was taken back.
package struct UndonePage: DeskPage {
    package let frame: Frame
    package let effects: [Effect]
    /// Why some changes were not taken back, such as because somebody has changed the same again.
    package let failures: [OperationFailure]
    /// Where the change was made.
    package let back: String

    package init(frame: Frame, effects: [Effect], failures: [OperationFailure] = [], back: String) {
        self.frame = frame
        self.effects = effects
        self.failures = failures
        self.back = back
    }

    package var heading: Sentence { Sentence(effects.isEmpty ? "consoleConfirm.notUndone" : "consoleConfirm.undone") }
    package var actions: [ConsoleLink] { [ConsoleLink(Sentence("console.goOn"), to: back)] }
    package var parts: [Part] {
        failures.map { .refusal(Sentence("consoleConfirm.stays"), detail: $0.detail) }
            + (effects.isEmpty ? [] : [.table(EffectTable.table(effects, shown: 200))])
    }
}
