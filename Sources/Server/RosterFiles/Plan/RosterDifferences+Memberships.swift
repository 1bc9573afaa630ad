import Storage

/// Memberships are by far the largest type. One pass looks each staged row up in the key of `class_student`; a second
/// pass in the other direction is made only if the numbers of rows show that something is gone.
extension RosterDifferences {
    /// Compares memberships. Rows that repeat a membership are not counted.
    func compareMemberships() throws -> RecordCounts {
        let inFile = try count("SELECT COUNT(*) FROM wanted_membership")
        // Rows of the file for classes that are there, and rows that are there of those classes.
        let named = try count("SELECT COUNT(*) FROM wanted_membership AS w JOIN known_class AS c ON c.line = w.class")
        let present = try count(
            """
            SELECT COUNT(*)
            FROM known_class AS c
            JOIN class_student AS m ON m.class_id = c.id
            WHERE m.roster_id IS NOT NULL
            """)
        if named > 0 { try findAdded() }
        let unmatched = try count("SELECT COUNT(*) FROM membership_difference WHERE effect IN ('added', 'adopted')")
        if present > named - unmatched { try findRemoved() }
        try noteMembers(of: "membership_difference", effects: "'added', 'removed'")

        // The members of a class stay with it when it is archived, and come back with it.
        let archived = try countRows("d.effect = 'missing' AND d.is_visible = 1")
        let isRestored = "d.effect = 'reactivated' AND c.archived_at IS NOT NULL"
        let restored = try countRows(isRestored)
        let lost = try countDifferences("removed", isRestored)

        var counts = RecordCounts()
        counts.inFile = inFile
        counts.existing = try present + archived - countRows("d.effect = 'reactivated'")
        counts.added = inFile - named
        counts.deactivated = archived - lost
        counts.reactivated = try restored - lost - countDifferences("changed", isRestored)
        try transaction.forEach("SELECT effect, COUNT(*) AS number FROM membership_difference GROUP BY effect") { row in
            let number: Int = try row["number"]
            switch try row["effect"] as String {
            case "added": counts.added += number
            case "removed": counts.deactivated += number
            default: counts.changed += number
            }
        }
        counts.unchanged = inFile - counts.added - counts.changed - counts.reactivated
        return counts
    }

    /// Counts the rows that imports maintain, of the classes for which the condition holds.
    private func countRows(_ condition: String) throws -> Int {
        try count(
            """
            SELECT COUNT(*)
            FROM class_difference AS d
            JOIN class AS c ON c.id = d.id
            JOIN class_student AS m ON m.class_id = d.id
            WHERE \(condition) AND m.roster_id IS NOT NULL
            """)
    }

    /// Counts what changes in the classes for which the condition holds.
    private func countDifferences(_ effect: String, _ condition: String) throws -> Int {
        try count(
            """
            SELECT COUNT(*)
            FROM membership_difference AS m
            JOIN class_difference AS d ON d.id = m.class_id
            JOIN class AS c ON c.id = d.id
            WHERE \(condition) AND m.effect = '\(effect)'
            """)
    }

    /// Effect 'adopted': added by hand before, and named by the files now.
    private func findAdded() throws {
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

    /// Students who were added by hand stay.
    private func findRemoved() throws {
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
