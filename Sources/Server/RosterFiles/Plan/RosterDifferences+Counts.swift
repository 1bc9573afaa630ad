import Directory
import Storage

extension RosterDifferences {
    /// - Parameters:
    ///   - rows: the number of rows of each file.
    ///   - memberships: as ``compareMemberships()`` counted them.
    func counts(rows: [RosterFile: Int], memberships: RecordCounts) throws -> ImportCounts {
        var counts = ImportCounts()
        counts.locations = try countRecords(
            "location", inFile: rows[.locations, default: 0],
            living: "source = 'csv' AND archived_at IS NULL AND \(scope.contains("id"))")
        counts.courses = try countRecords(
            "course", inFile: rows[.courses, default: 0],
            living: "source = 'csv' AND archived_at IS NULL AND \(scope.contains("location_id"))")
        counts.classes = try countRecords(
            "class", inFile: rows[.classes, default: 0],
            living: """
                source = 'csv' AND archived_at IS NULL AND missing_since IS NULL AND \(scope.contains("location_id"))
                """)
        // Classes that were archived by hand before do not go away by this import.
        counts.classes.deactivated -= try forgottenClasses()
        counts.students = try countPeople(of: .students, inFile: rows[.students, default: 0])
        counts.staff = try countPeople(of: .staff, inFile: rows[.staff, default: 0])
        counts.memberships = memberships
        return counts
    }

    /// How many classes that were archived by hand the files do not name any more.
    func forgottenClasses() throws -> Int {
        try count("SELECT COUNT(*) FROM class_difference WHERE effect = 'missing' AND is_visible = 0")
    }

    private func countRecords(_ table: String, inFile: Int, living: String) throws -> RecordCounts {
        var counts = RecordCounts()
        counts.inFile = inFile
        guard scope.kind == .school else { return counts }
        counts.existing = try count(
            "SELECT COUNT(*) FROM \(table) WHERE organization_id = $1 AND \(living)", [organization])
        counts.added = inFile - (try count("SELECT COUNT(*) FROM known_\(table)"))
        try transaction.forEach("SELECT effect, COUNT(*) AS number FROM \(table)_difference GROUP BY effect") { row in
            try counts.set(row["effect"], row["number"])
        }
        counts.unchanged = inFile - counts.added - counts.changed - counts.reactivated
        return counts
    }

    /// The file that a record came from can be told from its roles: only rows of students.csv give the role of a
    /// student with a position.
    private func countPeople(of file: RosterFile, inFile: Int) throws -> RecordCounts {
        let isOfFile = """
            \(file == .students ? "" : "NOT ")EXISTS (
                SELECT 1 FROM role_assignment AS r
                WHERE r.person_id = p.id AND r.role = 'student' AND r.position IS NOT NULL
                  AND \(scope.contains("r.location_id"))
            )
            """
        var counts = RecordCounts()
        counts.inFile = inFile
        counts.existing = try count(
            """
            SELECT COUNT(*) FROM person AS p
            WHERE p.organization_id = $1 AND p.source = 'csv' AND p.state <> 'deactivated' AND \(scope.isNamedHere)
              AND \(isOfFile)
            """,
            [organization])
        counts.added =
            inFile
            - (try count(
                """
                SELECT COUNT(*) FROM known_person AS k JOIN staged_person AS s ON s.n = k.n
                WHERE s.file = '\(file.rawValue)'
                """))
        try transaction.forEach(
            """
            SELECT d.effect, COUNT(*) AS number FROM person_difference AS d JOIN staged_person AS s ON s.n = d.n
            WHERE s.file = '\(file.rawValue)'
            GROUP BY d.effect
            """
        ) { row in try counts.set(row["effect"], row["number"]) }
        counts.deactivated = try count(
            """
            SELECT COUNT(*) FROM person_difference AS d JOIN person AS p ON p.id = d.id
            WHERE d.effect IN ('missing', 'left_school') AND p.state <> 'deactivated' AND \(isOfFile)
            """)
        counts.unchanged = inFile - counts.added - counts.changed - counts.reactivated
        return counts
    }
}

extension RecordCounts {
    fileprivate mutating func set(_ effect: String, _ number: Int) {
        switch effect {
        case "changed": changed = number
        case "reactivated": reactivated = number
        default: deactivated = number
        }
    }
}
