/// Enter the six digits that were sent to an address. Posts `code`.
///
/// The page says "if", because it must not reveal whether an account exists.
package struct VerifyEmailPage: Page {
    package enum Purpose: String, CaseIterable, Sendable {
        case signUp, resetPassword, changeEmail

        var lead: Sentence { Sentence("verify.\(rawValue)") }
    }

    package enum Problem: Equatable, Sendable {
        /// `attemptsLeft` is 1 or more.
        case wrongCode(attemptsLeft: Int)
        /// The code has expired or was tried too often; a new one is needed.
        case expired
        /// `minutes` is 1 or more.
        case tooManyAttempts(minutes: Int)
        case busy

        static let sentences = [Sentence("verify.wrongCode"), Sentence("verify.expired")]
    }

    package let form: Form
    package let purpose: Purpose
    /// The address to which the code was sent.
    package let email: String
    package let problem: Problem?
    /// Sends a new code.
    package let sendAgain: Form
    /// Whether a new code has just been sent.
    package let isSentAgain: Bool
    /// For people who mistyped the address.
    package let startAgainPath: String

    package init(
        form: Form,
        purpose: Purpose,
        email: String,
        problem: Problem? = nil,
        sendAgain: Form,
        isSentAgain: Bool = false,
        startAgainPath: String
    ) {
        self.form = form
        self.purpose = purpose
        self.email = email
        self.problem = problem
        self.sendAgain = sendAgain
        self.isSentAgain = isSentAgain
        self.startAgainPath = startAgainPath
    }

    package var view: View {
        let heading = Sentence("verify.heading")
        let values: Content = ["email": .text(email)]
        let startAgain = FormLayout.Way.link(Sentence("verify.startAgain"), to: startAgainPath)
        if problem == .expired {
            // No code can be entered any more, so the page has only the button.
            var layout = FormLayout(form: sendAgain, button: Sentence("verify.sendAgain"))
            layout.problem = Sentence("verify.expired")
            layout.ways = [startAgain]
            return layout.view(heading: heading, values)
        }
        var layout = FormLayout(form: form, button: Sentence("form.continue"))
        layout.lead = purpose.lead
        layout.notice = isSentAgain && problem == nil ? Sentence("verify.sentAgain") : nil
        var fieldProblem: Sentence?
        switch problem {
        case .wrongCode(let attemptsLeft):
            fieldProblem = Sentence("verify.wrongCode", ["attempts": .count(attemptsLeft)])
        case .tooManyAttempts(let minutes): layout.problem = .tooManyAttempts(minutes: minutes)
        case .busy: layout.problem = .busy
        case .expired, nil: break
        }
        layout.fields = [
            Field(
                name: "code", kind: .emailedCode, label: Sentence("form.code"), hint: Sentence("verify.codeHint"),
                problem: fieldProblem, isFocused: true, hasMessage: layout.problem != nil
            )
        ]
        layout.ways = [.form(Sentence("verify.sendAgain"), sendAgain), startAgain]
        return layout.view(heading: heading, values)
    }
}
