/// Choose a new password after the code from the email was right. Posts `new_password`.
package struct NewPasswordPage: Page {
    package let form: Form
    /// For the browser's password store.
    package let userName: String
    package let policy: PasswordPolicy
    package let doesNotFitPolicy: Bool

    package init(form: Form, userName: String, policy: PasswordPolicy = .standard, doesNotFitPolicy: Bool = false) {
        self.form = form
        self.userName = userName
        self.policy = policy
        self.doesNotFitPolicy = doesNotFitPolicy
    }

    package var view: View {
        var layout = FormLayout(form: form, button: Sentence("password.button"))
        layout.lead = Sentence("password.leadForgotten")
        layout.userName = userName
        layout.fields = [
            Field(
                name: "new_password", kind: policy.fieldKind, label: Sentence("form.newPassword"), hint: policy.hint,
                problem: doesNotFitPolicy ? policy.problem : nil, isFocused: true
            )
        ]
        return layout.view(heading: Sentence("password.headingForgotten"), ["userName": .text(userName)])
    }
}
