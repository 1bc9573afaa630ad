/// Replace a temporary password after signing in with it. Posts `new_password`.
package struct ChangePasswordPage: Page {
    package enum Problem: Sendable {
        case doesNotFitPolicy
        case sameAsTemporary
    }

    package let form: Form
    /// For the browser's password store, which otherwise saves the new password without a name.
    package let userName: String
    package let policy: PasswordPolicy
    package let problem: Problem?

    package init(form: Form, userName: String, policy: PasswordPolicy, problem: Problem? = nil) {
        self.form = form
        self.userName = userName
        self.policy = policy
        self.problem = problem
    }

    package var view: View {
        let problem: Sentence? =
            switch self.problem {
            case .doesNotFitPolicy: policy.problem
            case .sameAsTemporary: Sentence("password.sameAsTemporary")
            case nil: nil
            }
        let field = Field(
            name: "new_password", kind: policy.fieldKind, label: Sentence("form.newPassword"),
            hint: policy.hint, problem: problem, isFocused: true
        )
        return View(
            "change-password",
            heading: Sentence("password.heading"),
            content: [
                "form": .group(form.content),
                "account": .text(userName),
                "fields": .list([field.content]),
            ]
        )
    }
}
