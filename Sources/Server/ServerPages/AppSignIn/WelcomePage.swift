/// One tap for a person who is signed in and knows the app. Posts `decision` = `continue` or `deny`.
package struct WelcomePage: Page {
    package let app: RequestingApp
    package let account: AccountKind
    package let person: SignedInPerson
    package let shared: SharedWithApp
    package let decision: Form
    /// Signs out and comes back to this request; posts without fields of its own.
    package let switchAccount: Form

    package init(
        app: RequestingApp,
        account: AccountKind,
        person: SignedInPerson,
        shared: SharedWithApp,
        decision: Form,
        switchAccount: Form
    ) {
        self.app = app
        self.account = account
        self.person = person
        self.shared = shared
        self.decision = decision
        self.switchAccount = switchAccount
    }

    package var view: View {
        var content = Self.head(app: app, account: account, person: person, switchAccount: switchAccount)
        content["shared"] = .group(shared.content(for: app.name))
        content["decision"] = .group(decision.content)
        return View("welcome", heading: Sentence("welcome.heading"), content: content, owner: account.organization)
    }

    /// The common head of pages between an app and a person: the app, where the answer goes, and who owns the account.
    static func head(
        app: RequestingApp, account: AccountKind, person: SignedInPerson, switchAccount: Form
    ) -> Content {
        [
            "app": .text(app.name),
            "maker": .sentence(app.maker),
            "appBadge": .group(app.badge.content),
            "organizationBadge": .group(ifAny: account.organization?.content),
            "organization": .text(ifAny: account.organization?.name),
            "isManaged": .flag(account.organization != nil),
            "isPersonal": .flag(account.organization == nil),
            "person": .group(person.content),
            "switchAccount": .group(switchAccount.content),
        ]
    }
}
