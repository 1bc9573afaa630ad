/// After the right password: show a second factor. Posts `code`, or what ``PasskeyForm`` posts.
package struct FactorPage: Page {
    /// What is typed into the field.
    package enum Field: Sendable {
        case oneTimeCode
        case recoveryCode
    }

    package let form: Form
    package let field: Field
    package let passkey: PasskeyForm?
    package let organization: Badge?
    package let problem: FactorProblem?
    /// Leads to the same page with the other field; nil if the person has no such codes.
    package let otherPath: String?
    /// Back to the page for user name and password.
    package let startAgainPath: String

    package init(
        form: Form, field: Field, passkey: PasskeyForm?, organization: Badge?, problem: FactorProblem? = nil,
        otherPath: String?, startAgainPath: String
    ) {
        self.form = form
        self.field = field
        self.passkey = passkey
        self.organization = organization
        self.problem = problem
        self.otherPath = otherPath
        self.startAgainPath = startAgainPath
    }

    package var view: View {
        var layout = FormLayout(form: form, button: Sentence("signIn.button"))
        layout.organization = organization
        layout.lead = Sentence(field == .oneTimeCode ? "factor.lead" : "factor.leadForRecovery")
        layout.problem = problem?.message
        layout.passkey = passkey
        layout.fields = [field.field(problem)]
        let other = field == .oneTimeCode ? "factor.useRecoveryCode" : "factor.useOneTimeCode"
        layout.ways = [
            otherPath.map { .link(Sentence(other), to: $0) }, .link(Sentence("factor.startAgain"), to: startAgainPath),
        ].compactMap(\.self)
        layout.aside = Sentence("factor.lost")
        return layout.view(heading: Sentence("factor.heading"), owner: organization)
    }
}

extension FactorPage.Field {
    func field(_ problem: FactorProblem?) -> ServerPages.Field {
        switch self {
        case .oneTimeCode: .oneTimeCode(problem)
        case .recoveryCode:
            ServerPages.Field(
                name: "code", kind: .recoveryCode, label: Sentence("factor.recoveryCode"),
                hint: Sentence("factor.recoveryCodeHint"), problem: problem?.fieldProblem, isFocused: true,
                hasMessage: problem?.message != nil)
        }
    }
}

extension Field {
    /// Six digits from a generator.
    static func oneTimeCode(_ problem: FactorProblem?) -> Field {
        Field(
            name: "code", kind: .oneTimeCode, label: Sentence("form.code"), hint: Sentence("factor.codeHint"),
            problem: problem?.fieldProblem, isFocused: true, hasMessage: problem?.message != nil)
    }
}
