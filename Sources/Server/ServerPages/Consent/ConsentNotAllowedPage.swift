/// The signed-in person may not connect the app.
///
/// `cancel` goes back to the app with `access_denied`; `switchAccount` signs out and comes back to the request.
package struct ConsentNotAllowedPage: Page {
    package enum Requirement: Sendable {
        /// An Administrator or Site Manager of the account's organization has to consent; for a personal account no
        /// organization is named. Some of them are listed.
        case administrator(contacts: [Contact])
        /// A member of the app's developer team has to consent, for the test school.
        case developer
    }

    package let app: RequestingApp
    package let person: SignedInPerson
    package let account: AccountKind
    package let requirement: Requirement
    /// Where the administrator can start: the app's own address, because an authorization request is bound to the
    /// browser that started it. Nil if the app has none that would help.
    package let linkToSend: String?
    package let switchAccount: Form
    package let cancel: Form
    /// Places at which the person has a role that would be enough if it were held for the whole organization; usually
    /// empty.
    package let places: [String]

    package init(
        app: RequestingApp,
        person: SignedInPerson,
        account: AccountKind,
        requirement: Requirement,
        linkToSend: String?,
        switchAccount: Form,
        cancel: Form,
        places: [String] = []
    ) {
        self.app = app
        self.person = person
        self.account = account
        self.requirement = requirement
        self.linkToSend = linkToSend
        self.switchAccount = switchAccount
        self.cancel = cancel
        self.places = places
    }

    static let heading = Sentence("notAllowed.heading")
    static let headingForAll = Sentence("notAllowed.headingForAll")

    package var view: View {
        var content: Content = [
            "app": .text(app.name),
            "team": .text(app.teamName),
            "appBadge": .group(app.badge.content),
            "signedInName": .text(person.name),
            "role": .sentence(person.role.sentence),
            "link": .text(ifAny: linkToSend),
            "switchAccount": .group(switchAccount.content),
            "cancel": .group(cancel.content),
            "places": .text(ifAny: places.isEmpty ? nil : places.map(\.shown).joined(separator: ", ")),
        ]
        switch requirement {
        case .administrator(let contacts):
            let organization = account.organization
            content["organization"] = .text(ifAny: organization?.name)
            content["sendLink"] = .sentence(
                Sentence(organization == nil ? "notAllowed.sendLinkToAny" : "notAllowed.sendLink"))
            content["isTest"] = .flag(false)
            content.merge(Contact.content(of: contacts)) { own, _ in own }
            return View(
                "not-allowed", heading: places.isEmpty ? Self.heading : Self.headingForAll, content: content,
                owner: organization)
        case .developer:
            content["isTest"] = .flag(true)
            content["hasContacts"] = .flag(false)
            return View(
                "not-allowed", heading: Sentence("notAllowed.headingTest"), content: content,
                owner: account.organization)
        }
    }
}
