extension RosterChecks {
    /// Warnings only: Apple does not say whether a class must be at the location of its course, or a student at that of
    /// the class.
    func checkPlaces() throws {
        try report(
            .courseElsewhere, in: .classes, .locationID,
            """
            SELECT k.line, k.location AS value, c.location AS other,
                   c.line AS other_line, NULL AS other_file, COUNT(*) OVER () AS total
            FROM staged_class AS k
            JOIN staged_course AS c ON c.source_id = k.course
            WHERE k.location <> c.location
            ORDER BY k.line
            """,
            { "The course of this class is at \($0.other ?? ""), the class is not." },
            remedy: { _ in "Check the location of both; nothing need be done if it is meant so." })
        try report(
            .studentElsewhere, in: .rosters, .studentID,
            """
            SELECT m.line, s.source_id AS value, k.location AS other,
                   s.line AS other_line, NULL AS other_file, COUNT(*) OVER () AS total
            FROM wanted_membership AS m
            JOIN staged_person AS s ON s.n = m.person
            JOIN staged_class AS k ON k.line = m.class
            WHERE m.is_elsewhere = 1
              AND NOT EXISTS (
                  SELECT 1 FROM staged_place AS place WHERE place.person = m.person AND place.location = k.location
              )
            ORDER BY m.line
            """,
            { "The class is at \($0.other ?? ""), which is no location of the student." },
            remedy: {
                "Add the location to line \($0.otherLine ?? 0) of students.csv; nothing need be done if it is meant so."
            })
    }
}
