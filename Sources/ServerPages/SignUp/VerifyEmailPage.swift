/// Enter the six digits that were sent to an address. Posts `code`.
///
/// The page says "if": whether anything was sent must not tell whether an account exists.
package struct VerifyEmailPage: Page {
    package enum Purpose: String, CaseIterable, Sendable {
        case signUp, resetPassword, changeEmail

        var lead: Sentence { Sentence("verify.\(rawValue)") }
    }

    package enum Problem: Equatable, Sendable {
        /// `attemptsLeft` is 1 or more.
        case wrongCode(attemptsLeft: Int)
        /// Too old, or tried too often: a new one is needed.
        case expired
        /// `minutes` is 1 or more.
        case tooManyAttempts(minutes: Int)

        static let sentences = [Sentence("verify.wrongCode"), Sentence("verify.expired")]
    }

    package let form: Form
    package let purpose: Purpose
    /// Where the code went.
    package let email: String
    package let problem: Problem?
    /// Sends a new code.
    package let sendAgain: Form
    /// The page comes from sending a new code.
    package let isSentAgain: Bool
    /// For whoever mistyped the address.
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
        var layout = FormLayout(form: form, button: Sentence("form.continue"))
        layout.lead = purpose.lead
        layout.notice = isSentAgain && problem == nil ? Sentence("verify.sentAgain") : nil
        var fieldProblem: Sentence?
        switch problem {
        case .wrongCode(let attemptsLeft):
            fieldProblem = Sentence("verify.wrongCode", ["attempts": .count(attemptsLeft)])
        case .expired: fieldProblem = Sentence("verify.expired")
        case .tooManyAttempts(let minutes): layout.problem = .tooManyAttempts(minutes: minutes)
        case nil: break
        }
        layout.fields = [
            Field(
                name: "code", kind: .emailedCode, label: Sentence("form.code"), hint: Sentence("verify.codeHint"),
                problem: fieldProblem, isFocused: true, hasMessage: layout.problem != nil
            )
        ]
        layout.ways = [.init(label: Sentence("verify.sendAgain"), form: sendAgain)]
        layout.links = [.init(label: Sentence("verify.startAgain"), path: startAgainPath)]
        return layout.view(heading: Sentence("verify.heading"), ["email": .text(email)])
    }
}
