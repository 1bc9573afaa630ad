import Storage

extension RosterDifferences {
    /// Roles given by hand stay. If the files name such a role too, the import sets its position only, which apps do
    /// not see. When an account created by hand becomes maintained by imports, so do its roles that the files name
    /// (effect 'adopted'), but for roles with a first or last day: files know no days, and would give the role without.
    func compareRoles() throws {
        try findNamedRoles()
        try findRemovedRoles()
        // Marks the person as changed; visibly to apps unless only positions have changed.
        try write(
            """
            INSERT INTO person_difference (id, n, effect, is_visible)
            SELECT person_id, n, 'changed', MAX(CASE WHEN effect IN ('changed', 'adopted') THEN 0 ELSE 1 END)
            FROM role_difference
            WHERE TRUE
            GROUP BY person_id, n
            ON CONFLICT (id) DO UPDATE
            SET is_visible = CASE WHEN EXCLUDED.is_visible = 1 THEN 1 ELSE person_difference.is_visible END
            """)
    }

    private func findNamedRoles() throws {
        try write(
            """
            INSERT INTO role_difference (person_id, n, location_id, location, role, position, effect)
            SELECT p.id, named.n, named.location_id, named.location, named.role, named.position,
                   CASE
                       WHEN r.person_id IS NULL THEN 'added'
                       WHEN p.source = 'manual' THEN 'adopted'
                       ELSE 'changed'
                   END
            FROM (
                SELECT p.id, w.person AS n, l.id AS location_id, w.location, w.role, \(position) AS position
                FROM wanted_role AS w
                JOIN known_person AS k ON k.n = w.person
                JOIN person AS p ON p.id = k.id
                LEFT JOIN known_location AS l ON l.line = w.location
            ) AS named
            JOIN person AS p ON p.id = named.id
            LEFT JOIN role_assignment AS r
                ON r.person_id = named.id AND r.location_id = named.location_id AND r.role = named.role
            WHERE r.person_id IS NULL OR p.source = 'manual' OR r.position IS DISTINCT FROM named.position
            """)
    }

    /// SQL for the position of a role. The row in the files of one school does not name a person's other schools: what
    /// is there keeps its position, and what is new comes last.
    private var position: String {
        guard !scope.isWhole else { return "w.position" }
        return """
            CASE
                WHEN w.position IS NULL THEN NULL
                WHEN NOT \(Self.isGone) AND EXISTS (
                    SELECT 1 FROM role_assignment AS other
                    WHERE other.person_id = p.id AND other.position IS NOT NULL
                      AND NOT \(scope.contains("other.location_id"))
                )
                THEN COALESCE(
                    (
                        SELECT MIN(here.position) FROM role_assignment AS here
                        WHERE here.person_id = p.id AND here.location_id = l.id
                    ),
                    (SELECT MAX(held.position) FROM role_assignment AS held WHERE held.person_id = p.id) + w.position
                )
                ELSE w.position
            END
            """
    }

    /// Roles elsewhere stay, but for those of somebody who comes back: the import that deactivated the person has left
    /// them with the record, although its files did not give them any more.
    private func findRemovedRoles() throws {
        let isFromFiles = "(r.source = 'csv' OR r.position IS NOT NULL)"
        let effect = "CASE WHEN r.source = 'csv' THEN 'removed' ELSE 'changed' END"
        try write(
            """
            INSERT INTO role_difference (person_id, n, location_id, location, role, position, effect)
            SELECT k.id, k.n, r.location_id, NULL, r.role, NULL, \(effect)
            FROM known_person AS k
            JOIN person AS p ON p.id = k.id
            JOIN role_assignment AS r ON r.person_id = k.id
            WHERE \(isFromFiles) AND (\(scope.contains("r.location_id")) OR \(Self.isGone))
              AND NOT EXISTS (
                  SELECT 1 FROM wanted_role AS w
                  JOIN known_location AS l ON l.line = w.location
                  WHERE w.person = k.n AND w.role = r.role AND l.id = r.location_id
              )
            """)
        guard !scope.isWhole else { return }
        try write(
            """
            INSERT INTO role_difference (person_id, n, location_id, location, role, position, effect)
            SELECT d.id, NULL, r.location_id, NULL, r.role, NULL, \(effect)
            FROM person_difference AS d
            JOIN role_assignment AS r ON r.person_id = d.id
            WHERE d.effect = 'left_school' AND \(isFromFiles) AND \(scope.contains("r.location_id"))
            """)
    }
}
