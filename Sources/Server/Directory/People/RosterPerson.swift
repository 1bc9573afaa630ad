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
    /// When the record was changed last, or one of its roles began or ended.
    package internal(set) var modifiedAt: Date
}

extension RosterPerson {
    private static func selected(through sharing: SharingFilter) -> String {
        let (given, family) = (
            sharing.column("p.given_name", of: .givenName, otherwise: "''"),
            sharing.column("p.family_name", of: .familyName, otherwise: "''")
        )
        let (email, middle, grade) = (
            sharing.column("p.email", of: .email), sharing.column("p.middle_name", of: .middleName),
            sharing.column("p.grade", of: .grade)
        )
        return """
            p.id, \(email), \(given), \(middle), \(family), \(grade), p.created_at, p.modified_at,
            r.roster_role, r.location_id, r.begins_at, r.ends_at
            """
    }

    /// The next `limit` people after `last` whom an app may see, by id.
    /// - Parameter role: only people who hold it in the organization.
    package static func page(
        of organization: OrganizationID, role: RosterRole?, through sharing: SharingFilter, after last: PersonID,
        limit: Int, at now: Date, in transaction: some Transaction
    ) throws -> [RosterPerson] {
        guard let role else {
            return try page(of: organization, through: sharing, after: last, limit: limit, at: now, in: transaction)
        }
        // That the role is shared and counts now is all that the rules ask of a person's roles.
        let person = sharing.sharesPersonWithAnyRole("person")
        return try collect(
            """
            SELECT \(selected(through: sharing))
            FROM (
                SELECT person.* FROM role_assignment AS held
                JOIN person ON person.id = held.person_id
                WHERE held.organization_id = $1 AND held.roster_role = $4 AND held.person_id > $2
                  AND person.state <> 'deactivated'\(person)\(sharing.sharesRole("held", of: "person"))
                  AND \(RolePeriod.isInForce("held", at: "$5"))
                  -- Who holds the role at several places stands in the index several times: the first one counts.
                  AND NOT EXISTS (
                      SELECT 1 FROM role_assignment AS earlier
                      WHERE earlier.person_id = held.person_id AND earlier.roster_role = $4
                        AND (earlier.location_id, earlier.role) < (held.location_id, held.role)\(
                            sharing.sharesRole("earlier", of: "person"))
                        AND \(RolePeriod.isInForce("earlier", at: "$5"))
                  )
                ORDER BY held.person_id
                LIMIT $3
            ) AS p
            LEFT JOIN role_assignment AS r ON r.person_id = p.id\(sharing.sharesRole("r", of: "p"))
            ORDER BY p.id, r.location_id, r.role
            """,
            [organization, last, limit, role, now], through: sharing, at: now, in: transaction)
    }

    /// The same without a role. What is limited in the query is the rows, of which there is one for each role: to limit
    /// people, it would have to ask the rules twice, which people they share and then which of their roles.
    private static func page(
        of organization: OrganizationID, through sharing: SharingFilter, after last: PersonID, limit: Int,
        at now: Date, in transaction: some Transaction
    ) throws -> [RosterPerson] {
        let query = pageQuery(through: sharing)
        var (people, last, rowsMax) = ([RosterPerson](), last, 0)
        while true {
            let missing = limit - people.count
            // Few people have more than one role.
            rowsMax = max(rowsMax, missing + missing / 16 + 1)
            let (batch, rows) = try read(
                query, [organization, last, rowsMax], through: sharing, at: now, in: transaction)
            let isEnd = rows < rowsMax
            // There may be further rows of the last person.
            let found = isEnd ? batch : batch.dropLast()
            // Where roles are limited, who holds none that counts now is not shared.
            people += sharing.limitsRoles ? found.filter { !$0.roles.isEmpty } : found
            if isEnd || people.count >= limit { return Array(people.prefix(limit)) }
            // If all rows were of one person, who can have any number of roles, more are read next time.
            rowsMax = found.isEmpty ? rowsMax * 2 : 0
            last = found.last?.id ?? last
        }
    }

    /// The rows of the people of organization $1 after person $2 whom an app may see, $3 rows at most. Both people and
    /// roles come in the order of their indexes, so that nothing is sorted.
    static func pageQuery(through sharing: SharingFilter) -> String {
        // `CROSS` keeps SQLite from starting with the roles. PostgreSQL can go through people and roles side by side, and
        // would begin with the roles of the first person of all if it were not told where.
        let held = "r.person_id = p.id AND r.person_id > $2"
        let roles =
            sharing.limitsRoles
            ? "CROSS JOIN role_assignment AS r WHERE \(held)\(sharing.sharesRole("r", of: "p")) AND"
            : "LEFT JOIN role_assignment AS r ON \(held) WHERE"
        return """
            SELECT \(selected(through: sharing))
            FROM person AS p
            \(roles) p.organization_id = $1 AND p.id > $2
                AND p.state <> 'deactivated'\(sharing.sharesPersonWithAnyRole("p"))
            ORDER BY p.id, r.location_id, r.role
            LIMIT $3
            """
    }

    /// The next `limit` members of a class after `last`, by id.
    /// - Parameter role: Instructor or Student: the role *in the class*.
    package static func page(
        ofClass id: ClassID, role: RosterRole?, through sharing: SharingFilter, after last: PersonID, limit: Int,
        at now: Date, in transaction: some Transaction
    ) throws -> [RosterPerson] {
        let asStudent = sharing.sharesMember(
            as: .student, grade: "(SELECT pupil.grade FROM person AS pupil WHERE pupil.id = class_student.person_id)")
        let students = "SELECT person_id FROM class_student WHERE class_id = $1 AND person_id > $2\(asStudent)"
        let asInstructor = sharing.sharesMember(as: .instructor, grade: "NULL")
        let instructors = "SELECT person_id FROM class_instructor WHERE class_id = $1 AND person_id > $2\(asInstructor)"
        let members =
            switch role {
            case .student: students
            case .instructor: instructors
            case .staff, nil:
                """
                \(students)
                UNION
                \(instructors)
                """
            }
        return try collect(
            """
            SELECT \(selected(through: sharing))
            FROM (
                SELECT person.* FROM (\(members)) AS member
                JOIN class ON class.id = $1 AND class.archived_at IS NULL\(sharing.sharesClass("class"))
                JOIN person ON person.id = member.person_id AND +person.organization_id = class.organization_id
                WHERE person.state <> 'deactivated'\(sharing.sharesPerson("person", at: "$4"))
                ORDER BY person.id
                LIMIT $3
            ) AS p
            LEFT JOIN role_assignment AS r ON r.person_id = p.id\(sharing.sharesRole("r", of: "p"))
            ORDER BY p.id, r.location_id, r.role
            """,
            [id, last, limit, now], through: sharing, at: now, in: transaction)
    }

    package static func find(
        _ id: PersonID, in organization: OrganizationID, through sharing: SharingFilter, at now: Date,
        _ transaction: some Transaction
    ) throws -> RosterPerson? {
        try collect(
            """
            SELECT \(selected(through: sharing))
            FROM person AS p
            LEFT JOIN role_assignment AS r ON r.person_id = p.id\(sharing.sharesRole("r", of: "p"))
            WHERE p.id = $1 AND p.organization_id = $2 AND p.state <> 'deactivated'\(sharing.sharesPerson("p", at: "$3"))
            ORDER BY r.location_id, r.role
            """,
            [id, organization, now], through: sharing, at: now, in: transaction
        ).first
    }

    /// Everybody whom an app may see, by id.
    package static func ids(
        of organization: OrganizationID, through sharing: SharingFilter, at now: Date, in transaction: some Transaction
    ) throws -> [PersonID] {
        try transaction.all(
            """
            SELECT id FROM person
            WHERE organization_id = $1 AND state <> 'deactivated'\(sharing.sharesPerson("person", at: "$2")) ORDER BY id
            """, [organization, now]
        ) { try $0[0] }
    }

    /// How many people an app may see, as ``CountedRecords`` or ``SharingCount`` counts them.
    package static func count(
        of organization: OrganizationID, through sharing: SharingFilter, at now: Date,
        atOnce: Int = CountedRecords.atOnce, in transaction: some Transaction
    ) throws -> Int {
        try sharing.count(.people, of: organization, atOnce: atOnce, in: transaction) {
            try countAll(of: organization, through: sharing, at: now, in: transaction)
        }
    }

    static func countAll(
        of organization: OrganizationID, through sharing: SharingFilter, at now: Date, in transaction: some Transaction
    ) throws -> Int {
        try transaction.first(
            """
            SELECT COUNT(*) FROM person
            WHERE organization_id = $1 AND state <> 'deactivated'\(sharing.sharesPerson("person", at: "$2"))
            """, [organization, now]
        ) { try $0[0] } ?? 0
    }

    private static func collect(
        _ sql: String, _ parameters: [any SQLConvertible], through sharing: SharingFilter, at now: Date,
        in transaction: some Transaction
    ) throws -> [RosterPerson] {
        try read(sql, parameters, through: sharing, at: now, in: transaction).people
    }

    /// Combines consecutive rows, one for each role, into one value for each person. A role that does not count now is
    /// read as well, because the record of the person has changed for apps when it began or ended.
    private static func read(
        _ sql: String, _ parameters: [any SQLConvertible], through sharing: SharingFilter, at now: Date,
        in transaction: some Transaction
    ) throws -> (people: [RosterPerson], rows: Int) {
        var people: [RosterPerson] = []
        var rows = 0
        try transaction.forEach(sql, parameters) { row in
            rows += 1
            let id: PersonID = try row["id"]
            if people.last?.id != id {
                people.append(
                    RosterPerson(
                        id: id, email: try row["email"], givenName: try row["given_name"],
                        middleName: try row["middle_name"], familyName: try row["family_name"], grade: try row["grade"],
                        roles: [], createdAt: try row["created_at"],
                        modifiedAt: sharing.modifiedAt(try row["modified_at"])))
            }
            guard let role = try row["roster_role"] as RosterRole? else { return }
            let period = try RolePeriod(row)
            if let turn = period.lastTurn(at: now) {
                people[people.count - 1].modifiedAt = max(people[people.count - 1].modifiedAt, turn)
            }
            guard period.isInForce(at: now) else { return }
            let location: LocationID = try row["location_id"]
            let entry = RoleAtPlace(role: role, location: location == .none ? nil : location)
            // Two of our roles can be the same on the wire: a Manager who is also Staff appears as Staff once.
            if !people[people.count - 1].roles.contains(entry) { people[people.count - 1].roles.append(entry) }
        }
        return (people, rows)
    }
}
