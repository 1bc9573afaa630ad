import Directory
import ServerPages

extension AccountRole {
    init(_ role: Role) {
        self =
            switch role {
            case .administrator: .administrator
            case .siteManager: .siteManager
            case .peopleManager: .peopleManager
            case .deviceEnrollmentManager: .deviceEnrollmentManager
            case .contentManager: .contentManager
            case .manager: .manager
            case .instructor: .instructor
            case .staff: .staff
            case .student: .student
            }
    }

    /// - Parameter role: the person's highest; nil if they hold none.
    init(_ role: Role?, of person: Person) {
        self = role.map(AccountRole.init) ?? (person.organizationID == nil ? .personal : .withoutRole)
    }
}

extension SignedInPerson {
    init(_ person: Person, as role: AccountRole) {
        self.init(name: person.fullName, userName: person.userName, role: role, id: String(person.id.rawValue))
    }
}

extension ServerPages.PasswordPolicy {
    init(_ policy: Directory.PasswordPolicy) {
        self =
            switch policy {
            case .fourDigits: .fourDigits
            case .sixDigits: .sixDigits
            case .standard: .standard
            }
    }
}

extension Form {
    static func signIn(then path: String) -> Form {
        Form(action: "/sign-in", hiddenFields: [HiddenField(name: "continue", value: path)])
    }

    static func signOut(then path: String) -> Form {
        Form(action: "/sign-out", hiddenFields: [HiddenField(name: "continue", value: path)])
    }
}
