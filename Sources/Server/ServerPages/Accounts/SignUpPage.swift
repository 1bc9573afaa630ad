/// Make a personal account. Posts `given_name`, `family_name`, `email` and `new_password`.
///
/// There is no problem "this address has an account": the next page is the same in both cases, and only the email says
/// it.
package struct SignUpPage: Page {
    package enum Problem: Hashable, Sendable {
        case givenNameMissing, familyNameMissing
        /// The field is empty or not an email address.
        case emailMissing
        /// The address is in the domain of an organization, which gives its people their accounts.
        case emailOfOrganization
        case password(PasswordAdvice)
        /// `minutes` is 1 or more.
        case tooManyAttempts(minutes: Int)
        case busy
    }

    package let form: Form
    /// The app that the person signs up for, if any.
    package let app: RequestingApp?
    package let givenName: String
    package let familyName: String
    package let email: String
    package let problems: Set<Problem>
    /// For people who already have an account.
    package let signInPath: String

    package init(
        form: Form,
        app: RequestingApp? = nil,
        givenName: String = "",
        familyName: String = "",
        email: String = "",
        problems: Set<Problem> = [],
        signInPath: String
    ) {
        self.form = form
        self.app = app
        self.givenName = givenName
        self.familyName = familyName
        self.email = email
        self.problems = problems
        self.signInPath = signInPath
    }

    package var view: View {
        let names = NameFields(
            givenName: givenName, familyName: familyName, isGivenNameWrong: problems.contains(.givenNameMissing),
            isFamilyNameWrong: problems.contains(.familyNameMissing)
        )
        let isNameWrong = names.isGivenNameWrong || names.isFamilyNameWrong
        let emailProblem: Sentence? =
            problems.contains(.emailMissing)
            ? Sentence("form.emailMissing")
            : problems.contains(.emailOfOrganization) ? Sentence("form.emailOfOrganization") : nil
        let isEmailWrong = emailProblem != nil
        let passwordProblem = PasswordAdvice.allCases.first { problems.contains(.password($0)) }
        var layout = FormLayout(form: form, button: Sentence("form.continue"))
        layout.picture = app?.badge
        layout.lead = Sentence("signUp.lead")
        layout.problem =
            problems.lazy.compactMap {
                switch $0 {
                case .tooManyAttempts(let minutes): .tooManyAttempts(minutes: minutes)
                case .busy: .busy
                default: nil
                }
            }.first
        layout.names = names
        layout.fields = [
            Field(
                name: "email", kind: .emailAsUserName, label: Sentence("form.email"), value: email,
                hint: Sentence("signUp.emailHint"), problem: emailProblem,
                isFocused: isEmailWrong && !isNameWrong
            ),
            Field(
                name: "new_password", kind: .newPassword, label: Sentence("form.password"),
                hint: PasswordRule.standard.hint,
                problem: passwordProblem?.sentence(.standard),
                isFocused: passwordProblem != nil && !isEmailWrong && !isNameWrong
            ),
        ]
        layout.ways = [.link(Sentence("signUp.signIn"), to: signInPath)]
        layout.aside = Sentence("signUp.managed")
        return layout.view(heading: Sentence("signUp.heading"))
    }
}
