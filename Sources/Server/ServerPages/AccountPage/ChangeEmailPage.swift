/// Change the address of a personal account, which is also its user name. Posts `email` and `current_password`;
/// then ``VerifyEmailPage`` asks for the code that went to the new address.
package struct ChangeEmailPage: Page {
    package enum Problem: Equatable, Sendable {
        /// The field is empty or not an email address.
        case emailMissing
        /// The address is in the domain of an organization, which gives its people their accounts.
        case emailOfOrganization
        /// The new address is the current one.
        case unchanged
        case wrongPassword
        /// `minutes` is 1 or more.
        case tooManyAttempts(minutes: Int)
        case busy
    }

    package let form: Form
    package let currentEmail: String
    package let email: String
    package let problem: Problem?
    package let cancelPath: String

    package init(form: Form, currentEmail: String, email: String = "", problem: Problem? = nil, cancelPath: String) {
        self.form = form
        self.currentEmail = currentEmail
        self.email = email
        self.problem = problem
        self.cancelPath = cancelPath
    }

    package var view: View {
        var layout = FormLayout(form: form, button: Sentence("form.continue"))
        layout.lead = Sentence("changeEmail.lead")
        var emailProblem: Sentence?
        switch problem {
        case .emailMissing: emailProblem = Sentence("form.emailMissing")
        case .emailOfOrganization: emailProblem = Sentence("form.emailOfOrganization")
        case .unchanged: emailProblem = Sentence("changeEmail.unchanged")
        case .tooManyAttempts(let minutes): layout.problem = .tooManyAttempts(minutes: minutes)
        case .busy: layout.problem = .busy
        case .wrongPassword, nil: break
        }
        layout.fields = [
            Field(
                name: "email", kind: .email, label: Sentence("form.newEmail"), value: email, problem: emailProblem,
                isFocused: problem != .wrongPassword
            ),
            Field(
                name: "current_password", kind: .currentPassword, label: Sentence("form.currentPassword"),
                problem: problem == .wrongPassword ? Sentence("password.wrongCurrent") : nil,
                isFocused: problem == .wrongPassword
            ),
        ]
        layout.ways = [.link(Sentence("form.cancel"), to: cancelPath)]
        return layout.view(heading: Sentence("changeEmail.heading"), ["email": .text(currentEmail)])
    }
}
