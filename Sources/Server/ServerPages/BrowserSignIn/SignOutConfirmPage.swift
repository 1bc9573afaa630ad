/// An app asks to end the session at Lanyard too (OpenID Connect RP-Initiated Logout §2). Posts `decision` = `sign_out`
/// or `stay`.
package struct SignOutConfirmPage: Page {
    /// The app that asks; nil if it did not say who it is.
    package let app: RequestingApp?
    package let person: SignedInPerson
    package let account: AccountKind
    package let decision: Form

    package init(app: RequestingApp?, person: SignedInPerson, account: AccountKind, decision: Form) {
        self.app = app
        self.person = person
        self.account = account
        self.decision = decision
    }

    package var view: View {
        View(
            "sign-out", heading: Sentence("signOut.heading"),
            content: [
                "appBadge": .group(ifAny: app?.badge.content),
                "app": .text(ifAny: app?.name),
                "lead": .sentence(Sentence(app == nil ? "signOut.lead" : "signOut.leadForApp")),
                "person": .group(person.content),
                "isPersonal": .flag(account.organization == nil),
                "decision": .group(decision.content),
            ],
            owner: account.organization
        )
    }
}
