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
            INSERT INTO class_student (class_id, person_id, roster_id, import_id)
            SELECT u.class_id, u.person_id, u.roster_id, u.added_by
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
            INSERT INTO class_instructor (class_id, person_id, position, import_id)
            SELECT u.class_id, u.person_id, u.position, u.added_by
            FROM undo_instructor AS u
            JOIN class AS k ON k.id = u.class_id
            JOIN person AS p ON p.id = u.person_id
            WHERE u.import_id = $1
            ON CONFLICT (class_id, person_id) DO UPDATE SET position = EXCLUDED.position
            """,
            [importID])
    }

    func undoClasses() throws -> UndoReport.Counts {
        // The import had archived this class. Edits made since stay, and so does another date: somebody has restored the
        // class and archived it again.
        let restored = try transaction.execute(
            """
            UPDATE class SET
                source = u.source,
                missing_since = u.missing_since,
                term_id = u.term_id,
                archived_at = CASE WHEN class.archived_at = i.applied_at THEN u.archived_at ELSE class.archived_at END,
                modified_at = $2
            FROM undo_class AS u
            JOIN roster_import AS i ON i.id = u.import_id
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
                missing_since = u.missing_since,
                term_id = u.term_id,
                -- Somebody may have archived the class by hand since: that stays.
                archived_at = COALESCE(class.archived_at, u.archived_at),
                modified_at = $2
            FROM undo_class AS u
            WHERE u.import_id = $1 AND u.effect <> 'missing' AND class.id = u.class_id AND class.source = 'csv'
            """,
            [importID, now])
        let withdrawn = try transaction.execute(
            """
            UPDATE class SET archived_at = COALESCE(archived_at, $3), missing_since = $3, modified_at = $3
            WHERE organization_id = $1 AND import_id = $2 AND source = 'csv' AND missing_since IS NULL
            """,
            [organization, importID, now])
        return UndoReport.Counts(withdrawn: withdrawn, restored: restored + changed)
    }
}
