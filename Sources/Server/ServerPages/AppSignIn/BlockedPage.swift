/// The organization does not allow the app with this account. `back` goes back to the app with an error.
package struct BlockedPage: Page {
    package let app: RequestingApp
    package let organization: Badge
    package let person: SignedInPerson
    /// A few people to ask; may be empty.
    package let contacts: [Contact]
    /// Nil if there is no way back, because the app runs on another device.
    package let back: Form?
    package let switchAccount: Form

    package init(
        app: RequestingApp,
        organization: Badge,
        person: SignedInPerson,
        contacts: [Contact],
        back: Form?,
        switchAccount: Form
    ) {
        self.app = app
        self.organization = organization
        self.person = person
        self.contacts = contacts
        self.back = back
        self.switchAccount = switchAccount
    }

    package var view: View {
        View(
            "blocked",
            heading: Sentence("blocked.heading"),
            content: [
                "app": .text(app.name),
                "organization": .text(organization.name),
                "appBadge": .group(app.badge.content),
                "organizationBadge": .group(organization.content),
                "person": .group(person.content),
                "isPersonal": .flag(false),
                "back": .group(ifAny: back?.content),
                "switchAccount": .group(switchAccount.content),
            ].merging(Contact.content(of: contacts)) { own, _ in own },
            owner: organization
        )
    }
}
