/// The first sign-in to an app, which creates the account there.
///
/// Posts `decision` = `continue` or `deny`; for a personal account also `given_name` and `family_name` if the app asks
/// for the name, and `email_choice` = `share` or `hide` if it asks for the email address.
package struct AccountCreationPage: Page {
    package struct EditableName: Sendable {
        package let givenName: String
        package let familyName: String

        package init(givenName: String, familyName: String) {
            self.givenName = givenName
            self.familyName = familyName
        }
    }

    package enum EmailChoice: String, Sendable {
        case share, hide
    }

    package struct EditableEmail: Sendable {
        package let address: String
        /// Whether addresses can be hidden, that is, whether a mail relay is set up.
        package let canHide: Bool
        /// What the person chose before an error; nil at first, since nothing is chosen for them.
        package let chosen: EmailChoice?

        package init(address: String, canHide: Bool, chosen: EmailChoice? = nil) {
            self.address = address
            self.canHide = canHide
            self.chosen = chosen
        }
    }

    package enum Subject: Sendable {
        /// Each is nil if the app does not ask for it.
        case personal(name: EditableName?, email: EditableEmail?)
        /// Nothing can be edited or hidden.
        case managed(organization: Badge, shared: SharedWithApp)
    }

    package enum Problem: String, CaseIterable, Hashable, Sendable {
        case givenNameMissing, familyNameMissing, emailChoiceMissing
    }

    package let app: RequestingApp
    package let person: SignedInPerson
    package let subject: Subject
    package let problems: Set<Problem>
    package let decision: Form
    /// Signs out and comes back to this request; posts without fields of its own.
    package let switchAccount: Form

    package init(
        app: RequestingApp,
        person: SignedInPerson,
        subject: Subject,
        problems: Set<Problem> = [],
        decision: Form,
        switchAccount: Form
    ) {
        self.app = app
        self.person = person
        self.subject = subject
        self.problems = problems
        self.decision = decision
        self.switchAccount = switchAccount
    }

    package var view: View {
        let account: AccountKind
        var content: Content = ["names": .absent, "emailChoice": .absent, "shared": .absent]
        switch subject {
        case .personal(let name, let email):
            account = .personal
            content["names"] = .group(ifAny: name.map(nameFields)?.content)
            content["emailChoice"] = .group(ifAny: email.map(choice))
            if name == nil, email == nil {
                content["shared"] = .group(SharedWithApp(name: nil, email: nil).content(for: app.name))
            }
        case .managed(let organization, let shared):
            account = .managed(organization: organization)
            content["shared"] = .group(shared.content(for: app.name))
        }
        let head = WelcomePage.head(app: app, account: account, person: person, switchAccount: switchAccount)
        content.merge(head) { own, _ in own }
        content["decision"] = .group(decision.content)
        return View(
            "account-creation", heading: Sentence("creation.heading"), content: content, owner: account.organization
        )
    }

    private func nameFields(_ name: EditableName) -> NameFields {
        NameFields(
            givenName: name.givenName, familyName: name.familyName,
            isGivenNameWrong: problems.contains(.givenNameMissing),
            isFamilyNameWrong: problems.contains(.familyNameMissing)
        )
    }

    private func choice(_ email: EditableEmail) -> Content {
        [
            "address": .text(email.address.shown),
            "canHide": .flag(email.canHide),
            "isShare": .flag(email.chosen == .share),
            "isHide": .flag(email.chosen == .hide),
            "isMissing": .flag(problems.contains(.emailChoiceMissing)),
            // A problem with the name takes the focus instead.
            "takesCursor": .flag(problems == [.emailChoiceMissing]),
        ]
    }
}
