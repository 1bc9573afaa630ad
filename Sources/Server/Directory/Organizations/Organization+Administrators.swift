import Storage

extension Organization {
    /// Whether the organization has an Administrator other than `person` who is not deactivated.
    package static func hasAdministrator(
        _ organization: OrganizationID, besides person: PersonID, in transaction: some Transaction
    ) throws -> Bool {
        try transaction.exists(
            """
            SELECT 1 FROM role_assignment
            JOIN person ON person.id = role_assignment.person_id
            WHERE role_assignment.organization_id = $1 AND role_assignment.role = 'administrator'
              AND person.id <> $2 AND person.state <> 'deactivated'
            """,
            [organization, person])
    }

    /// How many Administrators can sign in now with a password, be it a temporary one.
    package func administratorsWithPassword(in transaction: some Transaction) throws -> Int {
        try transaction.first(
            """
            SELECT COUNT(DISTINCT person.id) FROM role_assignment
            JOIN person ON person.id = role_assignment.person_id
            JOIN credential ON credential.person_id = person.id
            WHERE role_assignment.organization_id = $1 AND role_assignment.role = 'administrator'
              AND person.state IN ('new', 'active')
            """,
            [id]
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
        for question: Question, of organization: OrganizationID, in transaction: some Transaction
    ) throws -> [Contact] {
        let roles = question.roles.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return try transaction.all(
            """
            SELECT person.given_name, person.family_name, person.email, MIN(role_assignment.role) AS role
            FROM role_assignment
            JOIN person ON person.id = role_assignment.person_id
            WHERE role_assignment.organization_id = $1 AND person.state IN ('new', 'active')
              AND role_assignment.role IN (\(roles)) AND \(Person.decidesForAll(with: question.roles))
            GROUP BY person.id, person.given_name, person.family_name, person.email
            ORDER BY person.email IS NULL, MIN(role_assignment.role), person.id
            LIMIT 3
            """,
            [organization]
        ) { row in
            Contact(
                name: Person.fullName(givenName: try row["given_name"], familyName: try row["family_name"]),
                email: try row["email"], role: try row["role"])
        }
    }
}
