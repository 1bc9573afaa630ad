import Storage

extension Organization {
    /// Whether somebody besides `person` is an Administrator who is not deactivated.
    static func hasAdministrator(
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

    /// How many Administrators can sign in here and now, with a password of their own.
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
