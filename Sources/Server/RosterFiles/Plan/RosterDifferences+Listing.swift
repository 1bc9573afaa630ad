import Directory
import Storage

/// Lists the people of a plan, page by page.
extension RosterDifferences {
    /// Call after the comparison and in the same transaction.
    func list(_ query: PlanListing.Query) throws -> PlanListing {
        let planned = try planned()
        var (page, keys) = try people(query, planned)
        try addSchools(to: &page, keys)
        try addRoles(to: &page, keys)
        let people = Array(page.prefix(query.limit))
        return PlanListing(
            schools: try schools(planned), people: people,
            next: page.count > query.limit ? keys[query.limit - 1].key : nil)
    }

    /// SQL for `key`, `n`, `id` and `effect` of each person whom the plan concerns, ordered by the row in the files;
    /// people who leave, or leave one school of theirs, have none and come last.
    private func planned() throws -> String {
        let rows = try count("SELECT COALESCE(MAX(n), 0) FROM staged_person")
        return """
            (
                SELECT new.n AS key, new.n AS n, NULL AS id,
                       CASE WHEN r.n IS NULL THEN 'comes' ELSE 'comes_instead' END AS effect
                FROM new_person AS new
                LEFT JOIN replaced_person AS r ON r.n = new.n
                UNION ALL
                SELECT COALESCE(d.n, \(rows) + d.id), d.n, d.id,
                       CASE d.effect WHEN 'reactivated' THEN 'returns' ELSE 'changes' END
                FROM person_difference AS d
                WHERE d.effect <> 'missing'
                UNION ALL
                SELECT \(rows) + d.id, NULL, d.id, 'leaves'
                FROM person_difference AS d
                WHERE d.effect = 'missing'
            ) AS planned
            """
    }

    private typealias Key = (key: Int, n: Int?, id: Int?)

    /// Reads one person more than asked for, to know whether there is a next page.
    private func people(_ query: PlanListing.Query, _ planned: String) throws -> ([PlannedPerson], [Key]) {
        var parameters: [any SQLConvertible] = [query.after]
        var conditions = ["planned.key > $1"]
        if !query.effects.isEmpty {
            let effects = query.effects.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
            conditions.append("planned.effect IN (\(effects))")
        }
        if let location = query.location {
            parameters.append(location)
            conditions.append(
                """
                (
                    EXISTS (SELECT 1 FROM staged_place AS a WHERE a.person = planned.n AND a.location = $2)
                    OR EXISTS (
                        SELECT 1 FROM role_assignment AS r
                        JOIN location AS l ON l.id = r.location_id
                        WHERE r.person_id = planned.id AND l.source_id = $2
                    )
                )
                """)
        }
        var (people, keys): ([PlannedPerson], [Key]) = ([], [])
        try transaction.forEach(
            """
            SELECT planned.key, planned.n, planned.id, planned.effect, COALESCE(s.source_id, p.source_id) AS source_id,
                   s.file, s.line, p.source, p.given_name AS former_given_name, p.family_name AS former_family_name,
                   p.middle_name AS former_middle_name, p.email AS former_email, p.grade AS former_grade,
                   p.person_number AS former_person_number, p.sis_username AS former_sis_username,
                   p.password_policy AS former_password_policy,
                   s.given_name, s.family_name, s.middle_name, s.email, s.grade, s.person_number, s.sis_username,
                   CASE WHEN s.file = 'students' THEN COALESCE(s.password_policy, p.password_policy) END
                       AS password_policy
            FROM \(planned)
            LEFT JOIN staged_person AS s ON s.n = planned.n
            LEFT JOIN person AS p ON p.id = planned.id
            WHERE \(conditions.joined(separator: " AND "))
            ORDER BY planned.key
            LIMIT \(query.limit + 1)
            """,
            parameters
        ) { row in
            keys.append((try row["key"], try row["n"], try row["id"]))
            people.append(try Self.person(row))
        }
        return (people, keys)
    }

    /// What is compared, and where a row of the statement above has it before and after.
    private static var comparedColumns: [(RosterColumn, before: StaticString, after: StaticString)] {
        [
            (.firstName, "former_given_name", "given_name"),
            (.lastName, "former_family_name", "family_name"),
            (.middleName, "former_middle_name", "middle_name"),
            (.emailAddress, "former_email", "email"),
            (.gradeLevel, "former_grade", "grade"),
            (.personNumber, "former_person_number", "person_number"),
            (.sisUsername, "former_sis_username", "sis_username"),
            (.passwordPolicy, "former_password_policy", "password_policy"),
        ]
    }

    private static func person(_ row: Row) throws -> PlannedPerson {
        let effect = PlannedPerson.Effect(rawValue: try row["effect"])!  // the statement names no other
        let file = try row["file"] as String?
        let (givenName, familyName): (String, String) =
            if file == nil {
                (try row["former_given_name"], try row["former_family_name"])
            } else {
                (try row["given_name"], try row["family_name"])
            }
        var person = PlannedPerson(
            effect: effect, personID: try row["source_id"],
            name: Person.fullName(givenName: givenName, familyName: familyName), file: file.map { "\($0).csv" },
            line: try row["line"])
        guard effect == .changes || effect == .returns, file != nil else { return person }
        for (column, formerName, name) in comparedColumns {
            let (before, after): (String?, String?) = (try row[formerName], try row[name])
            if before != after { person.changes.append(.init(field: column.name, before: before, after: after)) }
        }
        if try row["source"] as String == "manual" {
            person.changes.append(.init(field: "kept up by", before: "hand", after: "the import"))
        }
        return person
    }

    // MARK: Schools

    private func addSchools(to people: inout [PlannedPerson], _ keys: [Key]) throws {
        func add(_ sql: String, by number: (Key) -> Int?) throws {
            var places: [Int: Int] = [:]
            for (place, key) in keys.enumerated() { if let number = number(key) { places[number] = place } }
            guard !places.isEmpty else { return }
            let numbers = places.keys.sorted().map(String.init).joined(separator: ", ")
            try transaction.forEach(sql.replacing("$numbers", with: numbers)) { row in
                let name: String = try row["name"]
                guard let place = places[try row["number"]], !people[place].schools.contains(name) else { return }
                people[place].schools.append(name)
            }
        }
        try add(
            """
            SELECT place.person AS number, l.name FROM staged_place AS place
            JOIN staged_location AS l ON l.source_id = place.location
            WHERE place.person IN ($numbers)
            ORDER BY place.person, place.position
            """
        ) { $0.n }
        try add(
            """
            SELECT r.person_id AS number, l.name FROM role_assignment AS r
            JOIN location AS l ON l.id = r.location_id
            WHERE r.person_id IN ($numbers)
            ORDER BY r.person_id, COALESCE(r.position, 1000), l.id
            """
        ) { $0.n == nil ? $0.id : nil }
    }

    private func addRoles(to people: inout [PlannedPerson], _ keys: [Key]) throws {
        var places: [Int: Int] = [:]
        for (place, key) in keys.enumerated() { if let id = key.id { places[id] = place } }
        guard !places.isEmpty else { return }
        try transaction.forEach(
            """
            SELECT d.person_id, d.effect, d.role, COALESCE(l.name, s.name) AS school,
                   CAST(r.position AS TEXT) AS former_position, CAST(d.position AS TEXT) AS position
            FROM role_difference AS d
            LEFT JOIN location AS l ON l.id = d.location_id
            LEFT JOIN staged_location AS s ON s.line = d.location
            LEFT JOIN role_assignment AS r
                ON r.person_id = d.person_id AND r.location_id = d.location_id AND r.role = d.role
            WHERE d.effect IN ('added', 'changed', 'removed')
              AND d.person_id IN (\(places.keys.sorted().map(String.init).joined(separator: ", ")))
            ORDER BY d.person_id, d.effect DESC, d.role
            """
        ) { row in
            guard let place = places[try row["person_id"]] else { return }
            let (effect, role): (String, Role) = (try row["effect"], try row["role"])
            let school = try row["school"] as String?
            let text = school.map { "\(role.title), \($0)" } ?? role.title
            let change: PlannedPerson.Change =
                switch effect {
                case "added": .init(field: "role", before: nil, after: text)
                case "removed": .init(field: "role", before: text, after: nil)
                // Apps do not see positions. They are listed all the same, because nothing else would explain why the
                // person is in the plan.
                default:
                    .init(
                        field: "position of \(text) in the row", before: try row["former_position"],
                        after: try row["position"])
                }
            people[place].changes.append(change)
        }
    }

    private func schools(_ planned: String) throws -> [PlanListing.School] {
        var schools: [PlanListing.School] = []
        try transaction.forEach(
            """
            SELECT source_id, MAX(name) AS name, effect, COUNT(DISTINCT key) AS people
            FROM (
                SELECT l.source_id, l.name, planned.effect, planned.key
                FROM \(planned)
                JOIN staged_place AS place ON place.person = planned.n
                JOIN staged_location AS l ON l.source_id = place.location
                UNION ALL
                SELECT l.source_id, l.name, planned.effect, planned.key
                FROM \(planned)
                JOIN role_assignment AS r ON r.person_id = planned.id
                JOIN location AS l ON l.id = r.location_id
                WHERE planned.n IS NULL AND l.source_id IS NOT NULL AND \(scope.contains("l.id"))
            ) AS everybody
            GROUP BY source_id, effect
            ORDER BY source_id, effect
            """
        ) { row in
            let id: String = try row["source_id"]
            if schools.last?.locationID != id {
                schools.append(PlanListing.School(locationID: id, name: try row["name"], people: [:]))
            }
            schools[schools.count - 1].people[try row["effect"]] = try row["people"]
        }
        return schools
    }
}
