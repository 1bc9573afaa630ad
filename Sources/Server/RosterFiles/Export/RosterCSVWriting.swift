import Directory
import Storage

/// Reads the records that go into the six files: those that imports maintain.
struct RosterCSVWriting<T: Transaction> {
    /// Records read per query.
    private static var pageSize: Int { 5_000 }

    let organization: OrganizationID
    let kind: Organization.Kind
    let isForSpreadsheet: Bool
    let transaction: T

    /// - Returns: the number of rows.
    func write(_ file: RosterFile, to sink: @escaping ByteSink) throws -> Int {
        switch file {
        case .locations: try writeLocations(to: sink)
        case .students, .staff: try writePeople(file, to: sink)
        case .courses: try writeCourses(to: sink)
        case .classes: try writeClasses(to: sink)
        case .rosters: try writeRosters(to: sink)
        }
    }

    /// SQL condition for people whom the last import named. Excludes those who were missing in it, and those who had
    /// been deactivated by hand before they and their school went missing. Rows about people, and rows that refer to
    /// them, follow the same condition.
    private var isNamed: String {
        """
        p.source = 'csv' AND (p.state <> 'deactivated' OR p.missing_since IS NULL) AND EXISTS (
            SELECT 1 FROM role_assignment AS r
            JOIN \(places) AS l ON l.id = r.location_id AND \(isInFiles)
            WHERE r.person_id = p.id AND r.position IS NOT NULL
        )
        """
    }

    /// SQL condition for places that the files name. Those of a business are made by hand.
    private var isInFiles: String { kind == .school ? "l.source = 'csv' AND l.archived_at IS NULL" : "TRUE" }

    /// SQL for the places of people. A business is one itself, for which the cell is blank.
    private var places: String {
        switch kind {
        case .school: "location"
        case .business: "(SELECT id, source_id FROM location WHERE archived_at IS NULL UNION ALL SELECT 0, NULL)"
        }
    }

    /// SQL condition for a role that came from a row of students.csv.
    private static var isStudent: String {
        """
        EXISTS (
            SELECT 1 FROM role_assignment AS s
            WHERE s.person_id = p.id AND s.role = 'student' AND s.position IS NOT NULL
        )
        """
    }

    // MARK: Files

    private func writeLocations(to sink: @escaping ByteSink) throws -> Int {
        var table = try RosterTable(.locations, isForSpreadsheet: isForSpreadsheet, to: sink)
        try forEachRecord(
            """
            SELECT id, source_id, name, NULL FROM location
            WHERE organization_id = $1 AND id > $2 AND source = 'csv' AND archived_at IS NULL
            ORDER BY id
            LIMIT $3
            """,
            valueCount: 2, &table)
        return table.rows
    }

    private func writePeople(_ file: RosterFile, to sink: @escaping ByteSink) throws -> Int {
        let isOfFile = file == .students ? Self.isStudent : "NOT \(Self.isStudent)"
        let fields =
            file == .students
            ? """
            p.given_name, p.family_name, p.middle_name, p.person_number, p.grade, p.email, p.sis_username,
            p.password_policy
            """
            : "p.person_number, p.given_name, p.middle_name, p.family_name, p.email, p.sis_username"
        // Positions can have gaps: files of single schools leave those of other schools as they are.
        let placesMax = try seriesMax(
            """
            SELECT MAX(places) FROM (
                SELECT COUNT(*) AS places FROM role_assignment AS r
                JOIN person AS p ON p.id = r.person_id AND \(isNamed)
                JOIN \(places) AS l ON l.id = r.location_id AND \(isInFiles)
                WHERE r.organization_id = $1 AND r.position IS NOT NULL
                GROUP BY r.person_id
            ) AS people
            """)
        var table = try RosterTable(
            file, series: .locationID, seriesMax: placesMax, isForSpreadsheet: isForSpreadsheet, to: sink)
        try forEachRecord(
            """
            SELECT p.id, p.source_id, \(fields), l.source_id
            FROM (
                SELECT * FROM person AS p
                WHERE p.organization_id = $1 AND p.id > $2 AND \(isNamed) AND \(isOfFile)
                ORDER BY p.id
                LIMIT $3
            ) AS p
            JOIN role_assignment AS r ON r.person_id = p.id AND r.position IS NOT NULL
            JOIN \(places) AS l ON l.id = r.location_id AND \(isInFiles)
            ORDER BY p.id, r.position
            """,
            valueCount: file.columns.count - 1, &table)
        return table.rows
    }

    private func writeCourses(to sink: @escaping ByteSink) throws -> Int {
        var table = try RosterTable(.courses, isForSpreadsheet: isForSpreadsheet, to: sink)
        try forEachRecord(
            """
            SELECT c.id, c.source_id, c.number, c.name, l.source_id, NULL
            FROM course AS c
            JOIN location AS l ON l.id = c.location_id AND l.archived_at IS NULL
            WHERE c.organization_id = $1 AND c.id > $2 AND c.source = 'csv' AND c.archived_at IS NULL
            ORDER BY c.id
            LIMIT $3
            """,
            valueCount: 4, &table)
        return table.rows
    }

    private func writeClasses(to sink: @escaping ByteSink) throws -> Int {
        let instructors = try seriesMax(
            """
            SELECT MAX(i.position) FROM class AS k
            JOIN class_instructor AS i ON i.class_id = k.id
            WHERE k.organization_id = $1
            """)
        // The template has three instructor columns.
        var table = try RosterTable(
            .classes, series: .instructorID, seriesMax: max(3, instructors), isForSpreadsheet: isForSpreadsheet,
            to: sink)
        try forEachRecord(
            """
            SELECT k.id, k.source_id, k.number, c.source_id, l.source_id, k.display_name, p.source_id
            FROM (
                SELECT * FROM class
                WHERE organization_id = $1 AND id > $2 AND source = 'csv' AND archived_at IS NULL
                  AND missing_since IS NULL
                ORDER BY id
                LIMIT $3
            ) AS k
            JOIN course AS c ON c.id = k.course_id
            JOIN location AS l ON l.id = k.location_id
            LEFT JOIN class_instructor AS i ON i.class_id = k.id
            LEFT JOIN person AS p ON p.id = i.person_id AND \(isNamed)
            ORDER BY k.id, i.position
            """,
            valueCount: 5, &table)
        return table.rows
    }

    private func writeRosters(to sink: @escaping ByteSink) throws -> Int {
        var table = try RosterTable(.rosters, isForSpreadsheet: isForSpreadsheet, to: sink)
        var (lastClass, lastPerson) = (0, 0)
        var isDone = false
        while !isDone {
            isDone = true
            // CROSS JOIN fixes the join order in SQLite. Otherwise it would begin with the classes, and sort all their
            // students for each page.
            try transaction.forEach(
                """
                SELECT m.class_id, m.person_id, m.roster_id, k.source_id AS class_source, p.source_id AS person_source
                FROM class_student AS m
                CROSS JOIN class AS k
                CROSS JOIN person AS p
                WHERE (m.class_id, m.person_id) > ($2, $3) AND k.id = m.class_id AND p.id = m.person_id
                  AND k.organization_id = $1 AND k.source = 'csv' AND k.archived_at IS NULL AND k.missing_since IS NULL
                  AND m.roster_id IS NOT NULL AND \(isNamed) AND \(Self.isStudent)
                ORDER BY m.class_id, m.person_id
                LIMIT $4
                """,
                [organization, lastClass, lastPerson, Self.pageSize]
            ) { row in
                isDone = false
                (lastClass, lastPerson) = (try row["class_id"], try row["person_id"])
                try table.append(record: [row["roster_id"], row["class_source"], row["person_source"]])
            }
        }
        try table.finish()
        return table.rows
    }

    // MARK: Pages

    private func seriesMax(_ sql: String) throws -> Int {
        try transaction.first(sql, [organization]) { try $0[0] as Int? }.flatMap { $0 } ?? 1
    }

    /// Writes one record for each id. `sql` selects the id, `valueCount` values and one value of the repeated column;
    /// `$2` is the id after which a page begins, `$3` the number of records in a page.
    private func forEachRecord(_ sql: String, valueCount: Int, _ table: inout RosterTable) throws {
        var last = 0
        while true {
            var id = last
            var values: [String?] = []
            var series: [String] = []
            try transaction.forEach(sql, [organization, last, Self.pageSize]) { row in
                let next: Int = try row[0]
                if next != id {
                    if id != last { try table.append(record: values, series: series) }
                    id = next
                    values = try (1...valueCount).map { try row[$0] }
                    series = []
                }
                if let value = try row[valueCount + 1] as String? { series.append(value) }
            }
            guard id != last else { break }
            try table.append(record: values, series: series)
            last = id
        }
        try table.finish()
    }
}
