import Foundation

/// The organization does not allow the app with this account. `back` goes back to the app with an error.
package struct BlockedPage: Page {
    /// Somebody who can change that.
    package struct Contact: Sendable {
        package let name: String
        package let email: String?
        package let role: AccountRole

        package init(name: String, email: String?, role: AccountRole) {
            self.name = name
            self.email = email
            self.role = role
        }
    }

    package let app: RequestingApp
    package let organization: Badge
    package let person: SignedInPerson
    /// A few; none is fine too.
    package let contacts: [Contact]
    /// Nil where there is no way back: the app runs on another device.
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
        let contacts: [Content] = contacts.map { contact in
            [
                "contactName": .text(contact.name.shown),
                "contactRole": .sentence(contact.role.sentence),
                "contactEmail": .text(ifAny: contact.email?.shown),
                "contactLink": .text(ifAny: contact.email.map(Self.link)),
            ]
        }
        return View(
            "blocked",
            heading: Sentence("blocked.heading"),
            content: [
                "app": .text(app.name),
                "organization": .text(organization.name),
                "appBadge": .group(app.badge.content),
                "organizationBadge": .group(organization.content),
                "person": .group(person.content),
                "isPersonal": .flag(false),
                "hasContacts": .flag(!contacts.isEmpty),
                "contacts": .list(contacts),
                "back": .group(ifAny: back?.content),
                "switchAccount": .group(switchAccount.content),
            ],
            owner: organization
        )
    }

    /// RFC 6068: whatever could end the address or add a header field is percent-encoded.
    private static func link(to email: String) -> String {
        "mailto:" + (email.addingPercentEncoding(withAllowedCharacters: mailtoCharacters) ?? "")
    }

    private static let mailtoCharacters = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~@!$'*+"
    )
}
