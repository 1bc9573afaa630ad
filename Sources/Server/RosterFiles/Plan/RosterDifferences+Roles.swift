import Storage

extension RosterDifferences {
    /// Roles given by hand stay. If the files name such a role too, the import sets its position only, which apps do
    /// not see. When an account created by hand becomes maintained by imports, so do its roles that the files name
    /// (effect 'adopted').
    func compareRoles() throws {
        try write(
            """
            INSERT INTO role_difference (person_id, n, location_id, location, role, position, effect)
            SELECT k.id, w.person, l.id, w.location, w.role, w.position,
                   CASE
                       WHEN r.person_id IS NULL THEN 'added'
                       WHEN p.source = 'manual' THEN 'adopted'
                       ELSE 'changed'
                   END
            FROM wanted_role AS w
            JOIN known_person AS k ON k.n = w.person
            JOIN person AS p ON p.id = k.id
            LEFT JOIN known_location AS l ON l.line = w.location
            LEFT JOIN role_assignment AS r ON r.person_id = k.id AND r.location_id = l.id AND r.role = w.role
            WHERE r.person_id IS NULL OR p.source = 'manual' OR r.position IS DISTINCT FROM w.position
            """)
        try write(
            """
            INSERT INTO role_difference (person_id, n, location_id, location, role, position, effect)
            SELECT k.id, k.n, r.location_id, NULL, r.role, NULL,
                   CASE WHEN r.source = 'csv' THEN 'removed' ELSE 'changed' END
            FROM known_person AS k
            JOIN role_assignment AS r ON r.person_id = k.id
            WHERE (r.source = 'csv' OR r.position IS NOT NULL)
              AND NOT EXISTS (
                  SELECT 1 FROM wanted_role AS w
                  JOIN known_location AS l ON l.line = w.location
                  WHERE w.person = k.n AND w.role = r.role AND l.id = r.location_id
              )
            """)
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
}
