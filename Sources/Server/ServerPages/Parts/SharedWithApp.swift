/// What an app learns about the person besides an identifier.
package struct SharedWithApp: Sendable {
    package enum Email: Sendable {
        /// The address of the account.
        case own(String)
        /// A hidden address for the app's team, which forwards mail.
        case hidden(String)
        /// A hidden address that is made when the person continues.
        case hiddenAnew
    }

    /// Full name; nil if the app does not ask for it.
    package let name: String?
    /// The user name of a managed account, if the app gets it together with the name.
    package let userName: String?
    /// Nil if the app does not ask for it, or the account has none.
    package let email: Email?

    /// What the person is in the organization. Empty if the app does not ask for it, or there is none.
    package let roles: [AccountRole]
    /// A student's grade; nil if the app does not ask for it, or there is none.
    package let grade: String?

    package init(
        name: String?, userName: String? = nil, email: Email?, roles: [AccountRole] = [], grade: String? = nil
    ) {
        self.name = name
        self.userName = userName
        self.email = email
        self.roles = roles
        self.grade = grade
    }

    /// - Parameter app: the app's name, for the sentence that says that it gets nothing.
    func content(for app: AppName) -> Content {
        let isNothing = name == nil && email == nil && roles.isEmpty
        var content: Content = [
            "sharedName": .text(ifAny: name?.shown),
            "sharedUserName": .text(ifAny: userName?.shown),
            "hasSharedRoles": .flag(!roles.isEmpty),
            "sharedRoles": .list(roles.map { ["sharedRole": .sentence($0.sentence)] }),
            "sharedGrade": .text(ifAny: grade?.shown),
            "sharedEmail": .absent,
            "sharedHiddenEmail": .absent,
            "sharedNewEmail": .absent,
            "sharedNothing": isNothing ? .sentence(Sentence("shared.nothing", ["app": .text(app)])) : .absent,
        ]
        switch email {
        case .own(let address): content["sharedEmail"] = .address(address)
        case .hidden(let address): content["sharedHiddenEmail"] = .address(address)
        case .hiddenAnew:
            content["sharedNewEmail"] = .sentence(Sentence("shared.newHiddenEmail", ["app": .text(app)]))
        case nil: break
        }
        return content
    }
}
