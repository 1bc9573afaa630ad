/// The signed-in person may not connect the app.
///
/// `cancel` goes back to the app with `access_denied`; `switchAccount` signs out and comes back to the request.
package struct ConsentNotAllowedPage: Page {
    package enum Requirement: Sendable {
        /// An Administrator or Site Manager of this organization; of no certain one for a personal account.
        case administrator(organizationName: String?)
        /// A member of the app's developer team: the test school.
        case developer
    }

    package let app: RequestingApp
    package let person: SignedInPerson
    package let requirement: Requirement
    /// Where the administrator begins: the app's own address, because a request belongs to the browser that brought it.
    /// Nil if there is none worth sending.
    package let linkToSend: String?
    package let switchAccount: Form
    package let cancel: Form
    /// Nil unless the person's role would do if it held for the whole organization.
    package let limits: Limits?

    /// How far a role reaches, and whose reaches further.
    package struct Limits: Sendable {
        package let places: [String]
        package let deciders: [String]

        package init(places: [String], deciders: [String]) {
            self.places = places
            self.deciders = deciders
        }
    }

    package init(
        app: RequestingApp,
        person: SignedInPerson,
        requirement: Requirement,
        linkToSend: String?,
        switchAccount: Form,
        cancel: Form,
        limits: Limits? = nil
    ) {
        self.app = app
        self.person = person
        self.requirement = requirement
        self.linkToSend = linkToSend
        self.switchAccount = switchAccount
        self.cancel = cancel
        self.limits = limits
    }

    static let heading = Sentence("notAllowed.heading")
    static let headingForAll = Sentence("notAllowed.headingForAll")

    /// Nil if there are none.
    private static func list(_ names: [String]?) -> String? {
        names.flatMap { $0.isEmpty ? nil : $0.map(\.shown).joined(separator: ", ") }
    }

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
            "places": .text(ifAny: Self.list(limits?.places)),
            "deciders": .text(ifAny: Self.list(limits?.deciders)),
        ]
        switch requirement {
        case .administrator(let organizationName):
            content["organization"] = .text(ifAny: organizationName)
            content["sendLink"] = .sentence(
                Sentence(organizationName == nil ? "notAllowed.sendLinkToAny" : "notAllowed.sendLink"))
            content["isTest"] = .flag(false)
            return View("not-allowed", heading: limits == nil ? Self.heading : Self.headingForAll, content: content)
        case .developer:
            content["isTest"] = .flag(true)
            return View("not-allowed", heading: Sentence("notAllowed.headingTest"), content: content)
        }
    }
}
