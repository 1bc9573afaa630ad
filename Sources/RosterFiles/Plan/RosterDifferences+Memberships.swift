import Storage

/// By far the largest type: two passes over it, one a look-up in the key of `class_student` for each staged row, one
/// the other way round only if the numbers of rows say that something is gone.
extension RosterDifferences {
    func compareMemberships() throws {
        try findAddedMemberships()
        try findRemovedMemberships()
        try noteMembers(of: "membership_difference", effects: "'added', 'removed'")
        // Last, so that an emptied class is not taken for a changed one.
        try write(
            """
            INSERT INTO membership_difference (class_id, person_id, effect)
            SELECT m.class_id, m.person_id, 'removed'
            FROM class_difference AS d
            JOIN class_student AS m ON m.class_id = d.id
            WHERE d.effect = 'missing'
            """)
    }

    /// 'adopted': put in by hand, and named by the files now.
    private func findAddedMemberships() throws {
        guard try transaction.exists("SELECT 1 FROM known_class") else { return }
        try write(
            """
            INSERT INTO membership_difference (class_id, person_id, n, line, effect)
            SELECT c.id, p.id, w.person, w.line,
                   CASE
                       WHEN m.class_id IS NULL THEN 'added'
                       WHEN m.roster_id IS NULL THEN 'adopted'
                       ELSE 'changed'
                   END
            FROM wanted_membership AS w
            JOIN known_class AS c ON c.line = w.class
            JOIN staged_roster AS r ON r.line = w.line
            LEFT JOIN known_person AS p ON p.n = w.person
            LEFT JOIN class_student AS m ON m.class_id = c.id AND m.person_id = p.id
            WHERE m.class_id IS NULL OR m.roster_id IS NULL OR m.roster_id <> r.roster_id
            """)
    }

    /// Students put in by hand stay.
    private func findRemovedMemberships() throws {
        let wanted = try count(
            "SELECT COUNT(*) FROM wanted_membership AS w JOIN known_class AS c ON c.line = w.class")
        let unmatched = try count(
            "SELECT COUNT(*) FROM membership_difference WHERE effect IN ('added', 'adopted')")
        let present = try count(
            """
            SELECT COUNT(*)
            FROM known_class AS c
            JOIN class_student AS m ON m.class_id = c.id
            WHERE m.roster_id IS NOT NULL
            """)
        guard present > wanted - unmatched else { return }
        try write(
            """
            INSERT INTO membership_difference (class_id, person_id, effect)
            SELECT m.class_id, m.person_id, 'removed'
            FROM known_class AS c
            JOIN class_student AS m ON m.class_id = c.id
            LEFT JOIN known_person AS p ON p.id = m.person_id
            WHERE m.roster_id IS NOT NULL
              AND NOT EXISTS (
                  SELECT 1 FROM wanted_membership AS w WHERE w.class = c.line AND w.person = p.n
              )
            """)
    }
}
