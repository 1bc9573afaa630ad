/// The page behind an organization's one-time link: its first Administrator, or a further one, chooses name and
/// password. Posts `given_name`, `family_name`, `username` and `password`.
package struct FirstAdministratorPage: Page {
    package enum Problem: Hashable, Sendable {
        case givenNameMissing, familyNameMissing, userNameMissing, userNameNotAllowed, userNameTaken
        case password(PasswordAdvice)

        /// In the order of the form.
        package static let all: [Problem] =
            [.givenNameMissing, .familyNameMissing, .userNameMissing, .userNameNotAllowed, .userNameTaken]
            + PasswordAdvice.allCases.map(Problem.password)

        var sentence: Sentence {
            switch self {
            case .givenNameMissing, .familyNameMissing: Sentence("form.\(self)")
            case .userNameMissing, .userNameNotAllowed, .userNameTaken: Sentence("firstAdministrator.\(self)")
            case .password(let problem): problem.sentence(.standard)
            }
        }
    }

    package let form: Form
    package let organization: Badge
    package let givenName: String
    package let familyName: String
    package let userName: String
    package let problems: Set<Problem>

    package init(
        form: Form,
        organization: Badge,
        givenName: String = "",
        familyName: String = "",
        userName: String = "",
        problems: Set<Problem> = []
    ) {
        self.form = form
        self.organization = organization
        self.givenName = givenName
        self.familyName = familyName
        self.userName = userName
        self.problems = problems
    }

    package var view: View {
        var layout = FormLayout(form: form, button: Sentence("firstAdministrator.button"))
        layout.picture = organization
        layout.lead = Sentence("firstAdministrator.lead")
        layout.names = NameFields(
            givenName: givenName, familyName: familyName, isGivenNameWrong: problems.contains(.givenNameMissing),
            isFamilyNameWrong: problems.contains(.familyNameMissing)
        )
        layout.fields = [userNameField, passwordField]
        return layout.view(
            heading: Sentence("firstAdministrator.heading"), ["organization": .text(organization.name)],
            owner: organization
        )
    }

    private var userNameField: Field {
        let own: [Problem] = [.userNameMissing, .userNameNotAllowed, .userNameTaken]
        return Field(
            name: "username", kind: .newUserName, label: Sentence("form.userName"), value: userName,
            hint: Sentence("firstAdministrator.userNameHint"),
            problem: own.first(where: problems.contains)?.sentence, isFocused: own.contains(where: first(is:))
        )
    }

    private var passwordField: Field {
        let own = PasswordAdvice.allCases.map(Problem.password)
        return Field(
            name: "password", kind: .newPassword, label: Sentence("form.password"),
            hint: PasswordRule.standard.hint,
            problem: own.first(where: problems.contains)?.sentence, isFocused: own.contains(where: first(is:))
        )
    }

    /// Whether this is the first problem in the order of the form.
    private func first(is problem: Problem) -> Bool {
        Problem.all.first(where: problems.contains) == problem
    }
}
