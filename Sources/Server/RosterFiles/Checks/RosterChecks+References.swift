import Directory

extension RosterChecks {
    /// Apple School Manager: every reference must resolve inside the same upload, otherwise the upload fails.
    func checkReferences() throws {
        for file in [RosterFile.students, .staff] {
            try checkReference(
                from: file, .locationID, to: .locations,
                rows: """
                    SELECT s.line, place.location AS value
                    FROM staged_place AS place
                    JOIN staged_person AS s ON s.n = place.person
                    WHERE s.file = '\(file.rawValue)'
                    """,
                targets: "staged_location")
        }
        try checkReference(
            from: .courses, .locationID, to: .locations,
            rows: "SELECT line, location AS value FROM staged_course", targets: "staged_location")
        try checkReference(
            from: .classes, .courseID, to: .courses,
            rows: "SELECT line, course AS value FROM staged_class", targets: "staged_course")
        try checkReference(
            from: .classes, .locationID, to: .locations,
            rows: "SELECT line, location AS value FROM staged_class", targets: "staged_location")
        try checkReference(
            from: .classes, .instructorID, to: .staff,
            rows: "SELECT class AS line, person AS value FROM staged_instructor",
            targets: "(SELECT source_id FROM staged_person WHERE file = 'staff')")
        try checkReference(
            from: .rosters, .classID, to: .classes,
            rows: """
                SELECT r.line, r.class AS value FROM wanted_membership AS m JOIN staged_roster AS r ON r.line = m.line
                WHERE m.class IS NULL
                """,
            targets: "staged_class")
        try checkReference(
            from: .rosters, .studentID, to: .students,
            rows: """
                SELECT r.line, r.student AS value FROM wanted_membership AS m JOIN staged_roster AS r ON r.line = m.line
                WHERE m.person IS NULL
                """,
            targets: "(SELECT source_id FROM staged_person WHERE file = 'students')")
    }

    private func checkReference(
        from file: RosterFile, _ column: RosterColumn, to target: RosterFile, rows: String, targets: String
    ) throws {
        guard !staged.incomplete.contains(target) else { return }
        let isOfBusiness = kind == .business && target == .locations
        try report(
            .unknownReference, in: file, column,
            """
            SELECT reference.line, reference.value, NULL AS other,
                   stranger.line AS other_line, stranger.file AS other_file, COUNT(*) OVER () AS total
            FROM (\(rows)) AS reference
            LEFT JOIN staged_person AS stranger
                ON stranger.source_id = reference.value AND '\(target.rawValue)' IN ('students', 'staff')
            WHERE reference.value IS NOT NULL
              AND NOT EXISTS (SELECT 1 FROM \(targets) AS target WHERE target.source_id = reference.value)
            ORDER BY reference.line
            """,
            {
                if isOfBusiness { return "The business has no location with this id, or has removed it." }
                let whereabouts = $0.otherFile.map { " It is in \($0).csv." } ?? ""
                return "There is no row with this \(target.columns[0].name) in \(target.name).\(whereabouts)"
            },
            remedy: { _ in
                isOfBusiness
                    ? """
                    Add it with `lanyard org location add … --location-id …`, or bring it back with `lanyard org location \
                    restore`; or correct the id, or leave the cell blank.
                    """
                    : "Add the row to \(target.name), or correct the \(column.name) here."
            })
    }
}
