/// Asks for a new password. Posts `new_password`, and `current_password` if the person chose to change it.
package struct ChangePasswordPage: Page {
    package enum Reason: Sendable {
        /// The person signed in with a temporary password and cannot continue without a new one. On a shared computer
        /// that may be the wrong person: `switchAccount` signs out and returns to where they want to go.
        case temporary(switchAccount: Form)
        /// The person chose to change it. `cancelPath` leads back to the account page.
        case chosen(cancelPath: String)
    }

    package enum Problem: Equatable, Sendable {
        case refused(PasswordAdvice)
        case sameAsTemporary
        /// The new password is the current one.
        case unchanged
        case wrongCurrentPassword
        /// `minutes` is 1 or more.
        case tooManyAttempts(minutes: Int)
        case busy

        static let sentences = [
            Sentence("password.sameAsTemporary"), Sentence("password.unchanged"), Sentence("password.wrongCurrent"),
        ]
    }

    package let form: Form
    package let person: SignedInPerson
    package let account: AccountKind
    package let policy: PasswordRule
    package let reason: Reason
    package let problem: Problem?

    package init(
        form: Form, person: SignedInPerson, account: AccountKind, policy: PasswordRule, reason: Reason,
        problem: Problem? = nil
    ) {
        self.form = form
        self.person = person
        self.account = account
        self.policy = policy
        self.reason = reason
        self.problem = problem
    }

    package var view: View {
        var layout = FormLayout(form: form, button: Sentence("password.button"))
        layout.userName = person.userName
        switch problem {
        case .tooManyAttempts(let minutes): layout.problem = .tooManyAttempts(minutes: minutes)
        case .busy: layout.problem = .busy
        default: break
        }
        switch reason {
        case .temporary(let switchAccount):
            layout.person = (person, account, switchAccount)
            layout.lead = Sentence("password.lead")
            layout.fields = [newPassword(isFocused: true)]
            return layout.view(heading: Sentence("password.heading"), owner: account.organization)
        case .chosen(let cancelPath):
            let isCurrentFine = newPasswordProblem != nil
            layout.fields = [currentPassword(isFocused: !isCurrentFine), newPassword(isFocused: isCurrentFine)]
            layout.button = Sentence("password.buttonChosen")
            layout.ways = [.link(Sentence("form.cancel"), to: cancelPath)]
            return layout.view(heading: Sentence("password.headingChosen"), owner: account.organization)
        }
    }

    private func currentPassword(isFocused: Bool) -> Field {
        Field(
            name: "current_password", kind: .currentPassword, label: Sentence("form.currentPassword"),
            problem: problem == .wrongCurrentPassword ? Sentence("password.wrongCurrent") : nil, isFocused: isFocused
        )
    }

    private func newPassword(isFocused: Bool) -> Field {
        Field(
            name: "new_password", kind: policy.fieldKind, label: Sentence("form.newPassword"), hint: policy.hint,
            problem: newPasswordProblem, isFocused: isFocused
        )
    }

    private var newPasswordProblem: Sentence? {
        switch problem {
        case .refused(let problem): problem.sentence(policy)
        case .sameAsTemporary: Sentence("password.sameAsTemporary")
        case .unchanged: Sentence("password.unchanged")
        case .wrongCurrentPassword, .tooManyAttempts, .busy, nil: nil
        }
    }
}
