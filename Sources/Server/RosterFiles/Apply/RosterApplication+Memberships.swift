import Storage

extension RosterApplication {
    func removeMemberships() throws {
        let touched = "SELECT class_id, person_id FROM membership_difference WHERE effect"
        try transaction.execute(
            """
            INSERT INTO undo_student (import_id, class_id, person_id, roster_id, added_by)
            SELECT $1, m.class_id, m.person_id, m.roster_id, m.import_id
            FROM class_student AS m
            WHERE (m.class_id, m.person_id) IN (\(touched) IN ('changed', 'adopted', 'removed'))
            """,
            [importID])
        try transaction.execute(
            "DELETE FROM class_student WHERE (class_id, person_id) IN (\(touched) = 'removed')")
        try transaction.execute(
            """
            UPDATE class_student SET roster_id = r.roster_id
            FROM membership_difference AS d
            JOIN staged_roster AS r ON r.line = d.line
            WHERE d.effect IN ('changed', 'adopted') AND class_student.class_id = d.class_id
              AND class_student.person_id = d.person_id
            """)
    }

    /// Rows are added in the order of the files. New records got their ids in that order, so the rows of new classes,
    /// which are nearly all, arrive in the order of the key and appending is cheap.
    func addMemberships() throws {
        try transaction.execute(
            """
            INSERT INTO class_student (class_id, person_id, roster_id, import_id)
            SELECT k.id, p.id, r.roster_id, $1
            FROM wanted_membership AS w
            JOIN known_class AS k ON k.line = w.class AND k.is_new = 1
            JOIN known_person AS p ON p.n = w.person
            JOIN staged_roster AS r ON r.line = w.line
            ORDER BY w.class, w.person
            """,
            [importID])
        try transaction.execute(
            """
            INSERT INTO class_student (class_id, person_id, roster_id, import_id)
            SELECT d.class_id, p.id, r.roster_id, $1
            FROM membership_difference AS d
            JOIN known_person AS p ON p.n = d.n
            JOIN staged_roster AS r ON r.line = d.line
            WHERE d.effect = 'added'
            ORDER BY d.class_id, p.id
            """,
            [importID])
    }
}
