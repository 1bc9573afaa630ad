import Foundation

/// A person who decides and whom others can ask.
package struct Contact: Sendable {
    package let name: String
    package let email: String?
    package let role: AccountRole

    package init(name: String, email: String?, role: AccountRole) {
        self.name = name
        self.email = email
        self.role = role
    }

    /// The values for the template `contacts`.
    static func content(of contacts: [Contact]) -> Content {
        [
            "hasContacts": .flag(!contacts.isEmpty),
            "contacts": .list(
                contacts.map { contact in
                    [
                        "contactName": .text(contact.name.shown),
                        "contactRole": .sentence(contact.role.sentence),
                        "contactEmail": .address(ifAny: contact.email),
                        "contactLink": .text(ifAny: contact.email.map(Self.link)),
                    ]
                }),
        ]
    }

    /// RFC 6068: whatever could end the address or add a header field is percent-encoded.
    private static func link(to email: String) -> String {
        "mailto:" + (email.addingPercentEncoding(withAllowedCharacters: mailtoCharacters) ?? "")
    }

    private static let mailtoCharacters = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~@!$'*+"
    )
}
