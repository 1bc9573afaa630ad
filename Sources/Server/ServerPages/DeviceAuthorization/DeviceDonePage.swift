/// The other device has its answer.
package struct DeviceDonePage: Page {
    package enum Outcome: String, CaseIterable, Sendable {
        case allowed, denied

        var heading: Sentence { Sentence("device.\(rawValue)") }
        var explanation: Sentence { Sentence("device.\(rawValue)Explanation") }
    }

    package let outcome: Outcome
    package let appName: AppName

    package init(_ outcome: Outcome, appName: AppName) {
        self.outcome = outcome
        self.appName = appName
    }

    package var view: View {
        View(
            "done", heading: outcome.heading,
            content: [
                "app": .text(appName),
                "isGood": .flag(outcome == .allowed),
                "explanation": .sentence(outcome.explanation),
            ]
        )
    }
}
