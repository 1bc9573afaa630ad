import Directory
import Foundation
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

    init(_ role: RosterRole) {
        self =
            switch role {
            case .student: .student
            case .instructor: .instructor
            case .staff: .staff
            }
    }

    /// - Parameter role: the person's highest role; nil if they have none.
    init(_ role: Role?, of person: Person) {
        self = role.map(AccountRole.init) ?? (person.organizationID == nil ? .personal : .withoutRole)
    }
}

extension SignedInPerson {
    init(_ person: Person, as role: AccountRole) {
        self.init(name: person.fullName, userName: person.userName, role: role, id: String(person.id.rawValue))
    }

    /// The person with their highest role.
    init(_ person: Person, at now: Date, in transaction: some Transaction) throws {
        let held = Set(try RoleAssignment.inForce(of: person.id, at: now, in: transaction).map(\.role))
        self.init(person, as: AccountRole(Role.allCases.first(where: held.contains), of: person))
    }
}

extension SharedWithApp {
    /// - Parameter standing: what the person is in the organization, if the app gets it.
    init(name: String?, userName: String? = nil, email: Email?, _ standing: RosterStanding?) {
        self.init(
            name: name, userName: userName, email: email, roles: standing?.roles.map(AccountRole.init) ?? [],
            grade: standing?.grade)
    }
}

extension AccountKind {
    init(of person: Person, in transaction: some Transaction) throws {
        self.init(try person.organizationID.flatMap { try Organization.find($0, in: transaction) })
    }

    /// - Parameter organization: the owner of the account.
    init(_ organization: Organization?) {
        self = organization.map { .managed(organization: Badge($0)) } ?? .personal
    }
}
