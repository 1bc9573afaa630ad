import Foundation
import Storage

extension Organization {
    /// Whether the organization has an Administrator other than `person` who is not deactivated, and whose role has no
    /// end: with one that ends, the organization would be without an Administrator some day, and nobody would have
    /// decided that.
    package static func hasAdministrator(
        _ organization: OrganizationID, besides person: PersonID, at now: Date, in transaction: some Transaction
    ) throws -> Bool {
        try transaction.exists(
            """
            SELECT 1 FROM role_assignment
            JOIN person ON person.id = role_assignment.person_id
            WHERE role_assignment.organization_id = $1 AND role_assignment.role = 'administrator'
              AND person.id <> $2 AND person.state <> 'deactivated'
              AND \(RolePeriod.isLasting("role_assignment", at: "$3"))
            """,
            [organization, person, now])
    }

    /// How many Administrators can sign in now with a password, be it a temporary one.
    package func administratorsWithPassword(at now: Date, in transaction: some Transaction) throws -> Int {
        try transaction.first(
            """
            SELECT COUNT(DISTINCT person.id) FROM role_assignment
            JOIN person ON person.id = role_assignment.person_id
            JOIN credential ON credential.person_id = person.id
            WHERE role_assignment.organization_id = $1 AND role_assignment.role = 'administrator'
              AND person.state IN ('new', 'active') AND \(RolePeriod.isInForce("role_assignment", at: "$2"))
            """,
            [id, now]
        ) { try $0[0] } ?? 0
    }
}

extension Organization {
    /// A person whom others in the organization can ask.
    package struct Contact: Sendable {
        package let name: String
        package let email: String?
        package let role: Role
    }

    /// What the contact is asked about.
    package enum Question: Sendable {
        /// Which apps people may sign in to.
        case signIn
        /// Which apps may read people and classes.
        case dataSharing

        fileprivate var roles: [Role] {
            switch self {
            case .signIn: [.administrator, .peopleManager, .siteManager]
            case .dataSharing: Role.allCases.filter(\.mayShareData)
            }
        }
    }

    /// Up to three people who can decide the question; those with an email address come first.
    package static func contacts(
        for question: Question, of organization: OrganizationID, at now: Date, in transaction: some Transaction
    ) throws -> [Contact] {
        try transaction.all(
            """
            SELECT person.given_name, person.family_name, person.email, MIN(role_assignment.role) AS role
            FROM role_assignment
            JOIN person ON person.id = role_assignment.person_id
            WHERE role_assignment.organization_id = $1 AND person.state IN ('new', 'active')
              AND role_assignment.role IN (\(question.roles.sqlList))
              AND \(Person.decidesForAll(with: question.roles, at: "$2"))
              AND \(RolePeriod.isInForce("role_assignment", at: "$2"))
            GROUP BY person.id, person.given_name, person.family_name, person.email
            ORDER BY person.email IS NULL, MIN(role_assignment.role), person.id
            LIMIT 3
            """,
            [organization, now]
        ) { row in
            Contact(
                name: Person.fullName(givenName: try row["given_name"], familyName: try row["family_name"]),
                email: try row["email"], role: try row["role"])
        }
    }
}
