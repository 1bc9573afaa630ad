/// Show again who it is, before what somebody with a borrowed browser must not do. Posts `current_password` or `code`, or
/// what ``PasskeyForm`` posts.
package struct ConfirmIdentityPage: Page {
    /// What is typed into the field.
    package enum Field: Sendable {
        case password
        case code(FactorPage.Field)
    }

    package let form: Form
    package let field: Field
    package let person: SignedInPerson
    package let account: AccountKind
    package let passkey: PasskeyForm?
    package let problem: FactorProblem?
    /// Leads to the same page with the other kind of code; nil if there is none.
    package let otherPath: String?
    package let switchAccount: Form
    package let cancelPath: String

    package init(
        form: Form, field: Field, person: SignedInPerson, account: AccountKind, passkey: PasskeyForm?,
        problem: FactorProblem? = nil, otherPath: String? = nil, switchAccount: Form, cancelPath: String
    ) {
        self.form = form
        self.field = field
        self.person = person
        self.account = account
        self.passkey = passkey
        self.problem = problem
        self.otherPath = otherPath
        self.switchAccount = switchAccount
        self.cancelPath = cancelPath
    }

    package var view: View {
        var layout = FormLayout(form: form, button: Sentence("form.continue"))
        layout.person = (person, account, switchAccount)
        layout.userName = person.userName
        layout.lead = Sentence("factor.confirmLead")
        layout.problem = problem?.message
        layout.passkey = passkey
        var other: String?
        switch field {
        case .password:
            layout.fields = [
                ServerPages.Field(
                    name: "current_password", kind: .currentPassword, label: Sentence("form.password"),
                    problem: problem?.fieldProblem, isFocused: true, hasMessage: problem?.message != nil)
            ]
        case .code(let field):
            layout.fields = [field.field(problem)]
            other = field == .oneTimeCode ? "factor.useRecoveryCode" : "factor.useOneTimeCode"
        }
        if let other, let otherPath { layout.ways.append(.link(Sentence(other), to: otherPath)) }
        layout.ways.append(.link(Sentence("form.cancel"), to: cancelPath))
        return layout.view(heading: Sentence("factor.confirmHeading"), owner: account.organization)
    }
}
