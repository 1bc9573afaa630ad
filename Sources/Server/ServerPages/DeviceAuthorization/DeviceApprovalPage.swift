/// Asks whether an app on another device may sign in as this person. Posts `decision` = `continue` or `deny`.
///
/// Somebody else may have sent the code, to get into this person's account (RFC 8628 §5.4). So Cancel is the first
/// button and the default one, nothing takes the focus, and the page says what has to be true.
package struct DeviceApprovalPage: Page {
    package let app: RequestingApp
    package let account: AccountKind
    package let person: SignedInPerson
    package let shared: SharedWithApp
    /// The code as the other device shows it.
    package let userCode: String
    package let decision: Form
    package let switchAccount: Form

    package init(
        app: RequestingApp,
        account: AccountKind,
        person: SignedInPerson,
        shared: SharedWithApp,
        userCode: String,
        decision: Form,
        switchAccount: Form
    ) {
        self.app = app
        self.account = account
        self.person = person
        self.shared = shared
        self.userCode = userCode
        self.decision = decision
        self.switchAccount = switchAccount
    }

    package var view: View {
        var content = WelcomePage.head(app: app, account: account, person: person, switchAccount: switchAccount)
        content["shared"] = .group(shared.content(for: app.name))
        content["userCode"] = .text(userCode)
        content["decision"] = .group(decision.content)
        return View(
            "device-approval", heading: Sentence("device.heading"), content: content, owner: account.organization)
    }
}
