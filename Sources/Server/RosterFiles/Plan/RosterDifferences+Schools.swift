import Directory
import Storage

/// What the files of single schools must not have, because it would change records of other schools.
extension RosterDifferences {
    /// Call after ``match()``.
    /// - Parameter readsLocations: false if rows of locations.csv may be missing; then nothing can be said.
    func reportOtherSchools(to defects: DefectLog, readsLocations: Bool) throws {
        guard !scope.isWhole, readsLocations else { return }
        let before = defects.errorCount
        try reportOtherLocations(to: defects)
        try reportMissingSchools(to: defects)
        // Files of quite another school: every further row would be a defect of its own, and say no more.
        guard defects.errorCount == before else { return }
        try reportRecords("course", of: .courses, .courseID, to: defects)
        try reportRecords("class", of: .classes, .classID, to: defects)
        try reportPeopleOfOtherFile(to: defects)
        try reportNewPeopleElsewhere(to: defects)
    }

    private func reportOtherLocations(to defects: DefectLog) throws {
        try transaction.forEach(
            """
            SELECT s.line, s.source_id FROM staged_location AS s
            WHERE s.source_id IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM location AS l
                WHERE l.organization_id = $1 AND l.source_id = s.source_id AND \(scope.contains("l.id"))
            )
            ORDER BY s.line
            """,
            [organization]
        ) { row in
            let sourceID: String = try row["source_id"]
            defects.report(
                .otherSchool, in: RosterFile.locations.name, line: try row["line"],
                column: RosterColumn.locationID.name, value: sourceID,
                "The files are to be those of \(scope.name ?? "") (\(scope.sourceIDs)) alone, and name another school.",
                remedy: """
                    Take out the row and what is there. If both schools have one information system, import both \
                    together: `--school` may be repeated.
                    """)
        }
    }

    private func reportMissingSchools(to defects: DefectLog) throws {
        for school in scope.schools {
            let isNamed = try transaction.exists(
                "SELECT 1 FROM staged_location WHERE source_id = $1", [school.sourceID])
            guard !isNamed else { continue }
            defects.report(
                .schoolMissing, in: RosterFile.locations.name, column: RosterColumn.locationID.name,
                value: school.sourceID,
                "The files are to be those of \(Defect.printable(school.name)), and do not name it.",
                remedy: "Check that `--school` and the files belong together. Its own files never archive a school.")
        }
    }

    /// Courses or classes whose ids another school's records have.
    private func reportRecords(
        _ record: String, of file: RosterFile, _ column: RosterColumn, to defects: DefectLog
    ) throws {
        try transaction.forEach(
            """
            SELECT s.line, s.source_id, l.name AS school,
                   CASE WHEN r.archived_at IS NULL THEN 0 ELSE 1 END AS is_archived
            FROM known_\(record) AS k
            JOIN staged_\(record) AS s ON s.line = k.line
            JOIN \(record) AS r ON r.id = k.id
            JOIN location AS l ON l.id = r.location_id
            WHERE NOT \(scope.contains("r.location_id"))
            ORDER BY s.line
            """
        ) { row in
            let (sourceID, isArchived): (String, Bool) = (try row["source_id"], try row["is_archived"])
            let school = Defect.printable(try row["school"])
            defects.report(
                .otherSchoolsRecord, in: file.name, line: try row["line"], column: column.name, value: sourceID,
                """
                \(school) has \(isArchived ? "an archived" : "a") \(record) with this id, and the files of one school \
                change nothing of another.
                """,
                remedy: """
                    Give the \(record) an id that no other school has, such as one that begins with the school's. If \
                    it has moved here, import both schools together.
                    """)
        }
    }

    /// In the files of a whole organization a person is among the students or the staff, not both. So it is over the
    /// files of all schools.
    private func reportPeopleOfOtherFile(to defects: DefectLog) throws {
        try transaction.forEach(
            """
            SELECT s.file, s.line, s.source_id, MIN(l.name) AS school
            FROM known_person AS k
            JOIN staged_person AS s ON s.n = k.n
            JOIN person AS p ON p.id = k.id AND NOT \(Self.isGone)
            JOIN role_assignment AS r ON r.person_id = p.id AND r.position IS NOT NULL
            JOIN location AS l ON l.id = r.location_id AND l.archived_at IS NULL
            WHERE NOT \(scope.contains("r.location_id"))
              AND CASE r.role WHEN 'student' THEN 'students' ELSE 'staff' END <> s.file
            GROUP BY s.n, s.file, s.line, s.source_id
            ORDER BY s.n
            """
        ) { row in
            let (file, sourceID): (String, String) = (try row["file"], try row["source_id"])
            let school = Defect.printable(try row["school"])
            defects.report(
                .duplicateIdentifier, in: "\(file).csv", line: try row["line"], column: RosterColumn.personID.name,
                value: sourceID,
                "By the files of \(school) the person with this id is \(file == "staff" ? "a student" : "staff").",
                remedy: """
                    A person can be in one of the two files only: correct the person_id, or first have it taken out of \
                    the files of \(school) and import those.
                    """)
        }
    }

    /// An id that is to be a new person's while its holder is at another school too.
    private func reportNewPeopleElsewhere(to defects: DefectLog) throws {
        try transaction.forEach(
            """
            SELECT s.file, s.line, s.source_id
            FROM replaced_person AS replaced
            JOIN staged_person AS s ON s.n = replaced.n
            JOIN person AS p ON p.id = replaced.id AND NOT \(Self.isGone)
            WHERE \(scope.isAlsoElsewhere)
            ORDER BY s.n
            """
        ) { row in
            let sourceID: String = try row["source_id"]
            defects.report(
                .newPersonElsewhere, in: "\(try row["file"] as String).csv", line: try row["line"],
                column: RosterColumn.personID.name, value: sourceID,
                "The id is to be a new person's, and its holder, who would have to leave, is at another school too.",
                remedy: "Give the new person an id that nobody else has, in any school.")
        }
    }
}
