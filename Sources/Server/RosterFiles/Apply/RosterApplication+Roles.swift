import Storage

extension RosterApplication {
    func applyRoles() throws {
        let touched = "SELECT person_id, location_id, role FROM role_difference WHERE effect"
        try transaction.execute(
            """
            INSERT INTO undo_role (import_id, person_id, location_id, role, roster_role, source, position, added_by)
            SELECT $1, r.person_id, r.location_id, r.role, r.roster_role, r.source, r.position, r.import_id
            FROM role_assignment AS r
            WHERE (r.person_id, r.location_id, r.role) IN (\(touched) IN ('changed', 'adopted', 'removed'))
            """,
            [importID])
        try transaction.execute(
            "DELETE FROM role_assignment WHERE (person_id, location_id, role) IN (\(touched) = 'removed')")
        try transaction.execute(
            """
            UPDATE role_assignment
            SET position = d.position,
                source = CASE
                    WHEN d.effect = 'adopted' AND role_assignment.begins_at IS NULL AND role_assignment.ends_at IS NULL
                    THEN 'csv' ELSE role_assignment.source
                END
            FROM role_difference AS d
            WHERE d.effect IN ('changed', 'adopted') AND role_assignment.person_id = d.person_id
              AND role_assignment.location_id = d.location_id AND role_assignment.role = d.role
            """)
        try transaction.execute(
            """
            INSERT INTO role_assignment (
                person_id, location_id, role, roster_role, organization_id, source, position, import_id
            )
            SELECT added.person_id, l.id, added.role,
                   CASE added.role WHEN 'student' THEN 'Student' WHEN 'instructor' THEN 'Instructor' ELSE 'Staff' END,
                   $1, 'csv', added.position, $2
            FROM (
                SELECT k.id AS person_id, w.location, w.role, w.position
                FROM wanted_role AS w
                JOIN known_person AS k ON k.n = w.person AND k.is_new = 1
                UNION ALL
                SELECT person_id, location, role, position FROM role_difference WHERE effect = 'added'
            ) AS added
            JOIN known_location AS l ON l.line = added.location
            ORDER BY added.person_id, l.id, added.role
            """,
            [organization, importID])
        try refreshStatistics("role_assignment")
    }
}
