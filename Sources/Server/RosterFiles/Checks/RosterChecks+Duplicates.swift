import Storage

extension RosterChecks {
    /// - Parameter hasRepeatedMemberships: the result the result of ``RosterResolver/resolveMemberships()``.
    func checkKeys(hasRepeatedMemberships: Bool) throws {
        try checkKey(of: .locations, "staged_location", .locationID)
        try checkPeople(of: .students)
        try checkPeople(of: .staff)
        if try hasSharedAddresses() { for file in [RosterFile.students, .staff] { try checkAddresses(of: file) } }
        try checkKey(of: .courses, "staged_course", .courseID)
        try checkKey(of: .classes, "staged_class", .classID)
        // In ascending order no id can come twice, so the largest file by far need not be sorted.
        if !staged.rosterIDsAscend { try checkKey(of: .rosters, "staged_roster", .rosterID, key: "roster_id") }
        if hasRepeatedMemberships { try checkMemberships() }
    }

    private func checkKey(
        of file: RosterFile, _ table: String, _ column: RosterColumn, key: String = "source_id"
    ) throws {
        try report(
            .duplicateIdentifier, in: file, column,
            """
            SELECT later.line, later.\(key) AS value, NULL AS other,
                   duplicate.line AS other_line, NULL AS other_file, COUNT(*) OVER () AS total
            FROM (
                SELECT \(key) AS value, MIN(line) AS line FROM \(table) GROUP BY \(key) HAVING COUNT(*) > 1
            ) AS duplicate
            -- The first line is the least, so "another line" is a later one. With ">" SQLite goes through all later
            -- rows each time.
            JOIN \(table) AS later ON later.\(key) = duplicate.value AND later.line <> duplicate.line
            ORDER BY later.line
            """,
            { "Line \($0.otherLine ?? 0) has the same \(column.name)." },
            remedy: { _ in "Remove one of the two rows, or correct its \(column.name)." })
    }

    /// Person ids are unique over both files: a person is a student or a member of staff, not both.
    private func checkPeople(of file: RosterFile) throws {
        try report(
            .duplicateIdentifier, in: file, .personID,
            """
            SELECT later.line, later.source_id AS value, NULL AS other,
                   first.line AS other_line, first.file AS other_file, COUNT(*) OVER () AS total
            FROM (
                SELECT source_id, MIN(n) AS n FROM staged_person GROUP BY source_id HAVING COUNT(*) > 1
            ) AS duplicate
            JOIN staged_person AS first ON first.n = duplicate.n
            JOIN staged_person AS later ON later.source_id = duplicate.source_id AND later.n > duplicate.n
            WHERE later.file = '\(file.rawValue)'
            ORDER BY later.line
            """,
            {
                $0.otherFile == file.rawValue
                    ? "Line \($0.otherLine ?? 0) has the same person_id."
                    : "Line \($0.otherLine ?? 0) of \($0.otherFile ?? "").csv has the same person_id."
            },
            remedy: {
                $0.otherFile == file.rawValue
                    ? "Remove one of the two rows, or correct its person_id."
                    : "A person can be in one of the two files only: keep the row in one of them."
            })
    }

    /// Almost never true, and then a single pass has answered the question.
    private func hasSharedAddresses() throws -> Bool {
        try session.read {
            try $0.exists(
                """
                SELECT 1 FROM staged_person WHERE email IS NOT NULL GROUP BY LOWER(email) HAVING COUNT(*) > 1
                """)
        }
    }

    /// Only a warning, because Apple School Manager requires an address of one's own only where accounts are federated.
    /// But one person would get the other's mail, and a column that repeats one address is a mistake of the export.
    private func checkAddresses(of file: RosterFile) throws {
        try report(
            .sharedEmailAddress, in: file, .emailAddress,
            """
            SELECT later.line, later.email AS value, NULL AS other,
                   first.line AS other_line, first.file AS other_file, COUNT(*) OVER () AS total
            FROM (
                SELECT n, file, line, email, MIN(n) OVER (PARTITION BY LOWER(email)) AS first
                FROM staged_person
                WHERE email IS NOT NULL
            ) AS later
            JOIN staged_person AS first ON first.n = later.first
            WHERE later.n > later.first AND later.file = '\(file.rawValue)'
            ORDER BY later.line
            """,
            { "Line \($0.otherLine ?? 0) of \($0.otherFile ?? "").csv has the same email address." },
            remedy: { _ in "Give each person an address of their own, or leave the cell blank." })
    }

    private func checkMemberships() throws {
        try report(
            .duplicateMembership, in: .rosters, .studentID,
            """
            SELECT r.line, r.student AS value, r.class AS other,
                   duplicate.line AS other_line, NULL AS other_file, COUNT(*) OVER () AS total
            FROM (
                SELECT class, person, MIN(line) AS line FROM wanted_membership
                WHERE class IS NOT NULL AND person IS NOT NULL
                GROUP BY class, person
                HAVING COUNT(*) > 1
            ) AS duplicate
            JOIN wanted_membership AS later
                ON later.class = duplicate.class AND later.person = duplicate.person AND later.line > duplicate.line
            JOIN staged_roster AS r ON r.line = later.line
            ORDER BY r.line
            """,
            { "Line \($0.otherLine ?? 0) already puts this student into the class \($0.other ?? ""); it counts once." },
            remedy: { _ in "Nothing need be done; one of the two rows would do." })
    }
}
