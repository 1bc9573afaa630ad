import Directory
import Storage

extension RosterApplication {
    func applyClasses() throws {
        try transaction.execute(
            """
            INSERT INTO undo_class (
                import_id, class_id, effect, source, course_id, location_id, number, name, display_name, archived_at,
                missing_since, term_id
            )
            SELECT $1, c.id, d.effect, c.source, c.course_id, c.location_id, c.number, c.name, c.display_name,
                   c.archived_at, c.missing_since, c.term_id
            FROM class_difference AS d
            JOIN class AS c ON c.id = d.id
            """,
            [importID])
        try transaction.execute(
            """
            UPDATE class SET
                source = 'csv',
                course_id = kc.id,
                location_id = l.id,
                number = w.number,
                name = w.name,
                display_name = w.display_name,
                archived_at = NULL,
                missing_since = NULL,
                -- One that comes back without a new term does not come back into a closed one.
                term_id = COALESCE($2, CASE
                    WHEN class.archived_at IS NULL
                        OR EXISTS (SELECT 1 FROM term WHERE term.id = class.term_id AND closed_at IS NULL)
                    THEN class.term_id
                END),
                modified_at = CASE WHEN d.is_visible = 1 THEN $1 ELSE class.modified_at END
            FROM class_difference AS d
            JOIN wanted_class AS w ON w.line = d.line
            JOIN known_course AS kc ON kc.line = w.course
            JOIN known_location AS l ON l.line = w.location
            WHERE class.id = d.id
            """,
            [now, term])
        // Its members stay with it, and come back if somebody restores it.
        try transaction.execute(
            """
            UPDATE class SET archived_at = COALESCE(archived_at, $1), missing_since = $1, modified_at = $1
            WHERE id IN (SELECT id FROM class_difference WHERE effect = 'missing')
            """,
            [now])
        try transaction.execute(
            """
            INSERT INTO class (
                organization_id, source, source_id, course_id, location_id, number, name, display_name, created_at,
                modified_at, import_id, term_id
            )
            SELECT $1, 'csv', w.source_id, kc.id, l.id, w.number, w.name, w.display_name, $2, $2, $3, $4
            FROM wanted_class AS w
            JOIN known_course AS kc ON kc.line = w.course
            JOIN known_location AS l ON l.line = w.location
            WHERE NOT EXISTS (SELECT 1 FROM known_class AS k WHERE k.line = w.line)
            ORDER BY w.line
            """,
            [organization, now, importID, term])
        try noteNew("class", staged: "wanted_class")
    }

    func applyInstructors() throws {
        let touched = "SELECT class_id, person_id FROM instructor_difference WHERE effect"
        try transaction.execute(
            """
            INSERT INTO undo_instructor (import_id, class_id, person_id, position, added_by)
            SELECT $1, i.class_id, i.person_id, i.position, i.import_id
            FROM class_instructor AS i
            WHERE (i.class_id, i.person_id) IN (\(touched) IN ('changed', 'removed'))
            """,
            [importID])
        try transaction.execute(
            "DELETE FROM class_instructor WHERE (class_id, person_id) IN (\(touched) = 'removed')")
        try transaction.execute(
            """
            UPDATE class_instructor SET position = d.position
            FROM instructor_difference AS d
            WHERE d.effect = 'changed' AND class_instructor.class_id = d.class_id
              AND class_instructor.person_id = d.person_id
            """)
        try transaction.execute(
            """
            INSERT INTO class_instructor (class_id, person_id, position, import_id)
            SELECT added.class_id, p.id, added.position, $1
            FROM (
                SELECT k.id AS class_id, w.person AS n, w.position
                FROM wanted_instructor AS w
                JOIN known_class AS k ON k.line = w.class AND k.is_new = 1
                UNION ALL
                SELECT class_id, n, position FROM instructor_difference WHERE effect = 'added'
            ) AS added
            JOIN known_person AS p ON p.n = added.n
            ORDER BY added.class_id, p.id
            """,
            [importID])
    }
}
