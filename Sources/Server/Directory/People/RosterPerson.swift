import Foundation
import Storage

/// A person as roster pages need it: the visible fields, and the roles that apps see.
package struct RosterPerson: Equatable, Sendable {
    package struct RoleAtPlace: Equatable, Sendable {
        package let role: RosterRole
        /// Nil for the organization itself.
        package let location: LocationID?
    }

    package let id: PersonID
    package let email: String?
    package let givenName: String
    package let middleName: String?
    package let familyName: String
    /// Only pupils have one.
    package let grade: String?
    /// One entry for each role and place, ordered by place, without duplicates.
    package internal(set) var roles: [RoleAtPlace]
    package let createdAt: Date
    package let modifiedAt: Date
}

extension RosterPerson {
    private static let selected = """
        p.id, p.email, p.given_name, p.middle_name, p.family_name, p.grade, p.created_at, p.modified_at,
        r.roster_role, r.location_id
        """

    /// The next `limit` people after `last` whom apps may see, by id.
    /// - Parameter role: only people who hold it in the organization.
    package static func page(
        of organization: OrganizationID, role: RosterRole?, after last: PersonID, limit: Int,
        in transaction: some Transaction
    ) throws -> [RosterPerson] {
        guard let role else {
            return try collect(
                """
                SELECT \(selected)
                FROM (
                    SELECT * FROM person
                    WHERE organization_id = $1 AND id > $2 AND state <> 'deactivated'
                    ORDER BY id
                    LIMIT $3
                ) AS p
                LEFT JOIN role_assignment AS r ON r.person_id = p.id
                ORDER BY p.id, r.location_id, r.role
                """,
                [organization, last, limit], in: transaction)
        }
        return try collect(
            """
            SELECT \(selected)
            FROM (
                SELECT person.* FROM role_assignment AS held
                JOIN person ON person.id = held.person_id
                WHERE held.organization_id = $1 AND held.roster_role = $4 AND held.person_id > $2
                  AND person.state <> 'deactivated'
                  -- Who holds the role at several places stands in the index several times: the first one counts.
                  AND NOT EXISTS (
                      SELECT 1 FROM role_assignment AS earlier
                      WHERE earlier.person_id = held.person_id AND earlier.roster_role = $4
                        AND (earlier.location_id, earlier.role) < (held.location_id, held.role)
                  )
                ORDER BY held.person_id
                LIMIT $3
            ) AS p
            LEFT JOIN role_assignment AS r ON r.person_id = p.id
            ORDER BY p.id, r.location_id, r.role
            """,
            [organization, last, limit, role], in: transaction)
    }

    /// The next `limit` members of a class after `last`, by id.
    /// - Parameter role: Instructor or Student: the role *in the class*.
    package static func page(
        ofClass id: ClassID, role: RosterRole?, after last: PersonID, limit: Int, in transaction: some Transaction
    ) throws -> [RosterPerson] {
        let members =
            switch role {
            case .student: "SELECT person_id FROM class_student WHERE class_id = $1 AND person_id > $2"
            case .instructor: "SELECT person_id FROM class_instructor WHERE class_id = $1 AND person_id > $2"
            case .staff, nil:
                """
                SELECT person_id FROM class_student WHERE class_id = $1 AND person_id > $2
                UNION
                SELECT person_id FROM class_instructor WHERE class_id = $1 AND person_id > $2
                """
            }
        return try collect(
            """
            SELECT \(selected)
            FROM (
                SELECT person.* FROM (\(members)) AS member
                JOIN class ON class.id = $1
                JOIN person ON person.id = member.person_id AND +person.organization_id = class.organization_id
                WHERE person.state <> 'deactivated'
                ORDER BY person.id
                LIMIT $3
            ) AS p
            LEFT JOIN role_assignment AS r ON r.person_id = p.id
            ORDER BY p.id, r.location_id, r.role
            """,
            [id, last, limit], in: transaction)
    }

    package static func find(
        _ id: PersonID, in organization: OrganizationID, _ transaction: some Transaction
    ) throws -> RosterPerson? {
        try collect(
            """
            SELECT \(selected)
            FROM person AS p
            LEFT JOIN role_assignment AS r ON r.person_id = p.id
            WHERE p.id = $1 AND p.organization_id = $2 AND p.state <> 'deactivated'
            ORDER BY r.location_id, r.role
            """,
            [id, organization], in: transaction
        ).first
    }

    /// Combines consecutive rows, one for each role, into one value for each person.
    private static func collect(
        _ sql: String, _ parameters: [any SQLConvertible], in transaction: some Transaction
    ) throws -> [RosterPerson] {
        var people: [RosterPerson] = []
        try transaction.forEach(sql, parameters) { row in
            let id: PersonID = try row["id"]
            if people.last?.id != id {
                people.append(
                    RosterPerson(
                        id: id, email: try row["email"], givenName: try row["given_name"],
                        middleName: try row["middle_name"], familyName: try row["family_name"], grade: try row["grade"],
                        roles: [], createdAt: try row["created_at"], modifiedAt: try row["modified_at"]))
            }
            guard let role = try row["roster_role"] as RosterRole? else { return }
            let location: LocationID = try row["location_id"]
            let entry = RoleAtPlace(role: role, location: location == .none ? nil : location)
            // Two of our roles can be the same on the wire: a Manager who is also Staff appears as Staff once.
            if !people[people.count - 1].roles.contains(entry) { people[people.count - 1].roles.append(entry) }
        }
        return people
    }
}
