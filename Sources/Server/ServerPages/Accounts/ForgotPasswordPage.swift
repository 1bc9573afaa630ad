/// Asks for the address to which a code is sent that replaces the password of a personal account. Posts `email`.
package struct ForgotPasswordPage: Page {
    package enum Problem: Equatable, Sendable {
        /// The field is empty or not an email address.
        case emailMissing
        /// `minutes` is 1 or more.
        case tooManyAttempts(minutes: Int)
        case busy
    }

    package let form: Form
    package let email: String
    package let problem: Problem?
    package let signInPath: String

    package init(form: Form, email: String = "", problem: Problem? = nil, signInPath: String) {
        self.form = form
        self.email = email
        self.problem = problem
        self.signInPath = signInPath
    }

    package var view: View {
        var layout = FormLayout(form: form, button: Sentence("form.continue"))
        layout.lead = Sentence("forgotPassword.lead")
        switch problem {
        case .tooManyAttempts(let minutes): layout.problem = .tooManyAttempts(minutes: minutes)
        case .busy: layout.problem = .busy
        case .emailMissing, nil: break
        }
        layout.fields = [
            Field(
                name: "email", kind: .emailAsUserName, label: Sentence("form.email"), value: email,
                problem: problem == .emailMissing ? Sentence("form.emailMissing") : nil, isFocused: true,
                hasMessage: layout.problem != nil
            )
        ]
        layout.ways = [.link(Sentence("forgotPassword.back"), to: signInPath)]
        layout.aside = Sentence("signIn.forgottenManaged")
        return layout.view(heading: Sentence("forgotPassword.heading"))
    }
}
