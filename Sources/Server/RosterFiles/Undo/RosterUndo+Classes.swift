import Storage

extension RosterUndo {
    /// SQL for memberships that the import added to classes that nobody has edited by hand since.
    private var addedRows: String {
        "import_id = $2 AND class_id IN (SELECT id FROM class WHERE organization_id = $1 AND source = 'csv')"
    }

    func undoMemberships() throws -> UndoReport.Counts {
        let withdrawn = try transaction.execute(
            "DELETE FROM class_student WHERE \(addedRows)", [organization, importID])
        // The class or the person may have been removed by hand since.
        let restored = try transaction.execute(
            """
            INSERT INTO class_student (class_id, person_id, roster_id)
            SELECT u.class_id, u.person_id, u.roster_id
            FROM undo_student AS u
            JOIN class AS k ON k.id = u.class_id
            JOIN person AS p ON p.id = u.person_id
            WHERE u.import_id = $1
            ON CONFLICT (class_id, person_id) DO UPDATE SET roster_id = EXCLUDED.roster_id
            """,
            [importID])
        return UndoReport.Counts(withdrawn: withdrawn, restored: restored)
    }

    func undoInstructors() throws {
        try transaction.execute("DELETE FROM class_instructor WHERE \(addedRows)", [organization, importID])
        try transaction.execute(
            """
            INSERT INTO class_instructor (class_id, person_id, position)
            SELECT u.class_id, u.person_id, u.position
            FROM undo_instructor AS u
            JOIN class AS k ON k.id = u.class_id
            JOIN person AS p ON p.id = u.person_id
            WHERE u.import_id = $1
            ON CONFLICT (class_id, person_id) DO UPDATE SET position = EXCLUDED.position
            """,
            [importID])
    }

    func undoClasses() throws -> UndoReport.Counts {
        // The import had emptied this class and left it to be kept by hand. Edits made since stay, but imports maintain
        // it again.
        let filled = try transaction.execute(
            """
            UPDATE class SET source = u.source, modified_at = $2
            FROM undo_class AS u
            WHERE u.import_id = $1 AND u.effect = 'missing' AND class.id = u.class_id
            """,
            [importID, now])
        let changed = try transaction.execute(
            """
            UPDATE class SET
                source = u.source,
                course_id = u.course_id,
                location_id = u.location_id,
                number = u.number,
                name = u.name,
                display_name = u.display_name,
                archived_at = u.archived_at,
                modified_at = $2
            FROM undo_class AS u
            WHERE u.import_id = $1 AND u.effect <> 'missing' AND class.id = u.class_id AND class.source = 'csv'
            """,
            [importID, now])
        let withdrawn = try transaction.execute(
            """
            UPDATE class SET archived_at = $3, modified_at = $3
            WHERE organization_id = $1 AND import_id = $2 AND source = 'csv' AND archived_at IS NULL
            """,
            [organization, importID, now])
        return UndoReport.Counts(withdrawn: withdrawn, restored: filled + changed)
    }
}
