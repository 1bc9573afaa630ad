/// The person behind the browser session, as shown on "You are signed in as".
package struct SignedInPerson: Sendable {
    /// Full name, in the order of its language.
    package let name: String
    package let userName: String
    /// The role that matters for the page.
    package let role: AccountRole
    package let id: String

    package init(name: String, userName: String, role: AccountRole, id: String) {
        self.name = name
        self.userName = userName
        self.role = role
        self.id = id
    }

    package var badge: Badge { Badge(name: name, id: id, isPerson: true) }

    var content: Content {
        [
            "badge": .group(badge.content),
            "name": .text(name.shown),
            "userName": .address(userName),
            "roleName": .sentence(role.sentence),
        ]
    }
}
