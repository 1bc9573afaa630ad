import Directory
import Storage

/// An open term of which an import would archive every class.
struct EndingTerm {
    let name: String
    /// How many classes it has.
    let count: Int
    /// The names of the first ``HeldReason/classesMax``.
    let classes: [String]
}

extension RosterDifferences {
    func compareCourses() throws {
        try write(
            """
            INSERT INTO course_difference (id, line, effect)
            SELECT c.id, s.line, CASE WHEN c.archived_at IS NULL THEN 'changed' ELSE 'reactivated' END
            FROM known_course AS k
            JOIN staged_course AS s ON s.line = k.line
            JOIN staged_location AS sl ON sl.source_id = s.location
            JOIN course AS c ON c.id = k.id
            LEFT JOIN known_location AS l ON l.line = sl.line
            WHERE c.source = 'manual' OR c.archived_at IS NOT NULL OR c.number IS DISTINCT FROM s.number
               OR c.name IS DISTINCT FROM s.name OR c.location_id IS DISTINCT FROM l.id
            """)
        try write(
            """
            INSERT INTO course_difference (id, line, effect)
            SELECT c.id, NULL, 'missing'
            FROM course AS c
            WHERE c.organization_id = $1 AND c.source = 'csv' AND c.archived_at IS NULL
              AND \(scope.contains("c.location_id")) AND NOT \(isTakenElsewhere)
              AND NOT EXISTS (SELECT 1 FROM known_course AS k WHERE k.id = c.id)
            """,
            [organization])
    }

    /// SQL that is true if another school has a class of the course `c`. Files of the whole organization can have that.
    private var isTakenElsewhere: String {
        guard !scope.isWhole else { return "FALSE" }
        return """
            EXISTS (
                SELECT 1 FROM class AS other
                WHERE other.course_id = c.id AND other.source = 'csv' AND other.archived_at IS NULL
                  AND NOT \(scope.contains("other.location_id"))
            )
            """
    }

    /// For files without the column `class_display_name`: classes keep their display names.
    func keepDisplayNames() throws {
        try write(
            """
            UPDATE wanted_class SET display_name = c.display_name
            FROM known_class AS k
            JOIN class AS c ON c.id = k.id
            WHERE k.line = wanted_class.line
            """)
    }

    func compareClasses() throws {
        let isBack = "c.source = 'manual' OR c.archived_at IS NOT NULL OR c.missing_since IS NOT NULL"
        let seen = """
            c.number IS DISTINCT FROM w.number OR c.name <> w.name OR c.display_name IS DISTINCT FROM w.display_name
                OR c.location_id IS DISTINCT FROM l.id
            """
        let isOfAnotherTerm = term.map { "c.term_id IS DISTINCT FROM \($0.rawValue)" } ?? "FALSE"
        try write(
            """
            INSERT INTO class_difference (id, line, effect, is_visible)
            SELECT c.id, w.line, CASE WHEN \(isBack) THEN 'reactivated' ELSE 'changed' END,
                   CASE WHEN c.archived_at IS NOT NULL OR \(seen) THEN 1 ELSE 0 END
            FROM known_class AS k
            JOIN wanted_class AS w ON w.line = k.line
            JOIN class AS c ON c.id = k.id
            LEFT JOIN known_course AS kc ON kc.line = w.course
            LEFT JOIN known_location AS l ON l.line = w.location
            WHERE \(isBack) OR \(seen) OR c.course_id IS DISTINCT FROM kc.id OR \(isOfAnotherTerm)
            """)
        // One that was archived by hand is only noted as missing, which apps do not see.
        try write(
            """
            INSERT INTO class_difference (id, line, effect, is_visible)
            SELECT c.id, NULL, 'missing', CASE WHEN c.archived_at IS NULL THEN 1 ELSE 0 END
            FROM class AS c
            WHERE c.organization_id = $1 AND c.source = 'csv' AND c.missing_since IS NULL
              AND \(scope.contains("c.location_id"))
              AND NOT EXISTS (SELECT 1 FROM known_class AS k WHERE k.id = c.id)
            """,
            [organization])
    }

    /// Open terms all of whose classes that apps see would be archived, with how many those are: in the scope.
    func endingTerms() throws -> [EndingTerm] {
        let terms: [(id: Int64, name: String, count: Int)] = try transaction.all(
            """
            SELECT t.id, t.name, COUNT(*) AS number
            FROM class AS c
            JOIN term AS t ON t.id = c.term_id
            LEFT JOIN class_difference AS d ON d.id = c.id AND d.effect = 'missing'
            WHERE t.organization_id = $1 AND t.closed_at IS NULL AND c.archived_at IS NULL
              AND \(scope.contains("c.location_id"))
            GROUP BY t.id, t.name, t.first_day
            HAVING COUNT(d.id) = COUNT(*)
            ORDER BY t.first_day, t.id
            """,
            [organization]
        ) { (id: try $0["id"], name: try $0["name"], count: try $0["number"]) }
        return try terms.map { term in
            let classes: [String] = try transaction.all(
                """
                SELECT c.name
                FROM class AS c
                WHERE c.term_id = $1 AND c.archived_at IS NULL AND \(scope.contains("c.location_id"))
                ORDER BY c.name, c.id
                LIMIT $2
                """,
                [term.id, HeldReason.classesMax]
            ) { try $0["name"] }
            return EndingTerm(name: term.name, count: term.count, classes: classes)
        }
    }

    /// Reports classes that were archived by hand although the files still name them: they come back.
    func reportRestoredClasses(to defects: DefectLog) throws {
        try transaction.forEach(
            """
            SELECT s.line, s.source_id
            FROM known_class AS k
            JOIN staged_class AS s ON s.line = k.line
            JOIN class AS c ON c.id = k.id
            WHERE c.archived_at IS NOT NULL AND c.missing_since IS NULL
            ORDER BY s.line
            """
        ) { row in
            let (line, sourceID): (Int, String) = (try row["line"], try row["source_id"])
            defects.report(
                .classRestored, in: RosterFile.classes.name, line: line, column: RosterColumn.classID.name,
                value: sourceID,
                "This class was archived by hand. The file names it, so it comes back with its members.",
                remedy: "Nothing need be done if that is meant. To keep it archived, take it out of the files.")
        }
    }

    func compareInstructors() throws {
        try write(
            """
            INSERT INTO instructor_difference (class_id, person_id, n, position, effect)
            SELECT c.id, p.id, w.person, w.position, CASE WHEN i.class_id IS NULL THEN 'added' ELSE 'changed' END
            FROM known_class AS c
            JOIN wanted_instructor AS w ON w.class = c.line
            LEFT JOIN known_person AS p ON p.n = w.person
            LEFT JOIN class_instructor AS i ON i.class_id = c.id AND i.person_id = p.id
            WHERE i.class_id IS NULL OR i.position <> w.position
            """)
        try write(
            """
            INSERT INTO instructor_difference (class_id, person_id, n, position, effect)
            SELECT i.class_id, i.person_id, NULL, i.position, 'removed'
            FROM known_class AS c
            JOIN class_instructor AS i ON i.class_id = c.id
            WHERE NOT EXISTS (
                SELECT 1 FROM wanted_instructor AS w
                JOIN known_person AS p ON p.n = w.person
                WHERE w.class = c.line AND p.id = i.person_id
            )
            """)
        try noteMembers(of: "instructor_difference", effects: "'added', 'changed', 'removed'")
    }

    /// Marks the class as changed, visibly to apps.
    func noteMembers(of table: String, effects: String) throws {
        try write(
            """
            INSERT INTO class_difference (id, line, effect, is_visible)
            SELECT DISTINCT k.id, k.line, 'changed', 1
            FROM \(table) AS d
            JOIN known_class AS k ON k.id = d.class_id
            WHERE d.effect IN (\(effects))
            ON CONFLICT (id) DO UPDATE SET is_visible = 1
            """)
    }
}
