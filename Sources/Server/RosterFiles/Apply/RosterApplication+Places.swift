import Storage

extension RosterApplication {
    func applyLocations() throws {
        try transaction.execute(
            """
            INSERT INTO undo_location (import_id, location_id, source, name, archived_at)
            SELECT $1, l.id, l.source, l.name, l.archived_at
            FROM location_difference AS d
            JOIN location AS l ON l.id = d.id
            """,
            [importID])
        try transaction.execute(
            """
            UPDATE location SET source = 'csv', name = s.name, archived_at = NULL, modified_at = $1
            FROM location_difference AS d
            JOIN staged_location AS s ON s.line = d.line
            WHERE location.id = d.id
            """,
            [now])
        try transaction.execute(
            """
            UPDATE location SET archived_at = $1, modified_at = $1
            WHERE id IN (SELECT id FROM location_difference WHERE effect = 'missing')
            """,
            [now])
        try transaction.execute(
            """
            INSERT INTO location (organization_id, source, source_id, name, created_at, modified_at, import_id)
            SELECT $1, 'csv', s.source_id, s.name, $2, $2, $3
            FROM staged_location AS s
            WHERE NOT EXISTS (SELECT 1 FROM known_location AS k WHERE k.line = s.line)
            ORDER BY s.line
            """,
            [organization, now, importID])
        try noteNew("location", staged: "staged_location")
    }

    func applyCourses() throws {
        try transaction.execute(
            """
            INSERT INTO undo_course (import_id, course_id, source, number, name, location_id, archived_at)
            SELECT $1, c.id, c.source, c.number, c.name, c.location_id, c.archived_at
            FROM course_difference AS d
            JOIN course AS c ON c.id = d.id
            """,
            [importID])
        try transaction.execute(
            """
            UPDATE course
            SET source = 'csv', number = s.number, name = s.name, location_id = l.id, archived_at = NULL,
                modified_at = $1
            FROM course_difference AS d
            JOIN staged_course AS s ON s.line = d.line
            JOIN staged_location AS sl ON sl.source_id = s.location
            JOIN known_location AS l ON l.line = sl.line
            WHERE course.id = d.id
            """,
            [now])
        try transaction.execute(
            """
            UPDATE course SET archived_at = $1, modified_at = $1
            WHERE id IN (SELECT id FROM course_difference WHERE effect = 'missing')
            """,
            [now])
        try transaction.execute(
            """
            INSERT INTO course (
                organization_id, source, source_id, number, name, location_id, created_at, modified_at, import_id
            )
            SELECT $1, 'csv', s.source_id, s.number, s.name, l.id, $2, $2, $3
            FROM staged_course AS s
            JOIN staged_location AS sl ON sl.source_id = s.location
            JOIN known_location AS l ON l.line = sl.line
            WHERE NOT EXISTS (SELECT 1 FROM known_course AS k WHERE k.line = s.line)
            ORDER BY s.line
            """,
            [organization, now, importID])
        try noteNew("course", staged: "staged_course")
    }

    /// Enters the rows that were just added into the table of known records, so that later steps can refer to them.
    func noteNew(_ record: String, staged: String) throws {
        try refreshStatistics(record)
        try transaction.execute(
            """
            INSERT INTO known_\(record) (line, id, is_new)
            SELECT s.line, r.id, 1
            FROM \(staged) AS s
            JOIN \(record) AS r ON r.organization_id = $1 AND r.source_id = s.source_id AND r.import_id = $2
            """,
            [organization, importID])
        try refreshStatistics("known_\(record)")
    }
}
