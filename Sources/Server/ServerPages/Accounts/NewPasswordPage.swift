/// Choose a new password after the code from the email was right. Posts `new_password`.
package struct NewPasswordPage: Page {
    package enum Problem: Equatable, Sendable {
        case refused(PasswordAdvice)
        case busy
    }

    package let form: Form
    /// For the browser's password store.
    package let userName: String
    package let problem: Problem?

    package init(form: Form, userName: String, problem: Problem? = nil) {
        self.form = form
        self.userName = userName
        self.problem = problem
    }

    package var view: View {
        var layout = FormLayout(form: form, button: Sentence("password.button"))
        layout.lead = Sentence("password.leadForgotten")
        layout.problem = problem == .busy ? .busy : nil
        layout.userName = userName
        let refusal: PasswordAdvice? = if case .refused(let problem) = problem { problem } else { nil }
        layout.fields = [
            Field(
                name: "new_password", kind: .newPassword, label: Sentence("form.newPassword"),
                hint: PasswordRule.standard.hint,
                problem: refusal?.sentence(.standard), isFocused: true,
                hasMessage: layout.problem != nil
            )
        ]
        return layout.view(heading: Sentence("password.headingForgotten"), ["userName": .text(userName)])
    }
}
