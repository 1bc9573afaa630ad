import Directory
import ServerPages
import Storage

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

    /// With the highest of the roles that the person holds.
    init(_ person: Person, in transaction: some Transaction) throws {
        let held = Set(try RoleAssignment.list(of: person.id, in: transaction).map(\.role))
        self.init(person, as: AccountRole(Role.allCases.first(where: held.contains), of: person))
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
    /// Goes back to the app without what it asked for.
    static func deny(at path: String) -> Form {
        Form(action: path, hiddenFields: [HiddenField(name: "decision", value: "deny")])
    }

    static func signIn(then path: String) -> Form {
        Form(action: "/sign-in", hiddenFields: [HiddenField(name: "continue", value: path)])
    }

    static func signOut(then path: String) -> Form {
        Form(action: "/sign-out", hiddenFields: [HiddenField(name: "continue", value: path)])
    }
}
