import Storage

/// Resolves the references between the files, with SQL on the staging tables.
///
/// A row with a dangling reference is left out, except in `wanted_membership`, where the reference becomes NULL and the
/// checks find it.
struct RosterResolver {
    let session: DatabaseSession

    /// - Returns: whether a student is in a class twice. Building the unique index answers that at no extra cost.
    func resolveMemberships() throws -> Bool {
        try session.script(Self.memberships)
        let index = "INDEX wanted_membership_key ON wanted_membership (class, person)"
        var hasDuplicates = false
        do {
            try session.script("CREATE UNIQUE \(index)")
        } catch DatabaseError.uniqueViolation {
            hasDuplicates = true
            try session.script("CREATE \(index)")
        }
        try session.refreshStatistics(of: ["wanted_membership"])
        return hasDuplicates
    }

    /// Keeps the first row of a student who is in a class twice.
    func dropRepeatedMemberships() throws {
        try session.script(
            """
            CREATE TEMP TABLE repeated_membership AS
            SELECT line
            FROM (
                SELECT line, ROW_NUMBER() OVER (PARTITION BY class, person ORDER BY line) AS number
                FROM wanted_membership
                WHERE class IS NOT NULL AND person IS NOT NULL
            ) AS numbered
            WHERE number > 1;
            DELETE FROM wanted_membership WHERE line IN (SELECT line FROM repeated_membership);
            DROP TABLE repeated_membership;
            """)
    }

    /// Resolves everything else. The files must be free of errors: a duplicate id would resolve to two rows.
    func resolveClassesAndRoles() throws {
        try session.script(Self.classes)
        try session.script(Self.instructors)
        try session.script(Self.roles)
        try session.refreshStatistics(of: ["wanted_class", "wanted_instructor", "wanted_role"])
    }

    /// A class is called "course name + class number" in Apple School Manager unless somebody renames it.
    private static let classes = """
        INSERT INTO wanted_class (line, source_id, number, name, display_name, course, location)
        SELECT k.line, k.source_id, k.number,
               CASE
                   WHEN COALESCE(c.name, c.number) IS NULL THEN COALESCE(k.number, k.source_id)
                   WHEN k.number IS NULL THEN COALESCE(c.name, c.number)
                   ELSE COALESCE(c.name, c.number) || ' ' || k.number
               END,
               k.display_name, c.line, l.line
        FROM staged_class AS k
        JOIN staged_course AS c ON c.source_id = k.course
        JOIN staged_location AS l ON l.source_id = k.location;
        """

    /// A person named twice in a row counts once, and positions have no gaps.
    private static let instructors = """
        INSERT INTO wanted_instructor (class, person, position)
        SELECT i.class, p.n, ROW_NUMBER() OVER (PARTITION BY i.class ORDER BY MIN(i.position))
        FROM staged_instructor AS i
        JOIN staged_person AS p ON p.source_id = i.person AND p.file = 'staff'
        GROUP BY i.class, p.n;

        CREATE INDEX wanted_instructor_class ON wanted_instructor (class, person);
        """

    /// Staff are instructors where a class names them, and staff at the other places of their row. Where a class names
    /// them and their row does not, the position is null.
    private static let roles = """
        CREATE TEMP TABLE teaching AS
        SELECT DISTINCT w.person, k.location
        FROM wanted_instructor AS w
        JOIN wanted_class AS k ON k.line = w.class;

        CREATE INDEX teaching_key ON teaching (person, location);

        INSERT INTO wanted_role (person, location, role, position)
        SELECT place.person, l.line,
               CASE
                   WHEN s.file = 'students' THEN 'student'
                   WHEN EXISTS (SELECT 1 FROM teaching AS t WHERE t.person = place.person AND t.location = l.line)
                   THEN 'instructor'
                   ELSE 'staff'
               END,
               place.position
        FROM (
            SELECT person, location, ROW_NUMBER() OVER (PARTITION BY person ORDER BY MIN(position)) AS position
            FROM staged_place
            GROUP BY person, location
        ) AS place
        JOIN staged_person AS s ON s.n = place.person
        JOIN staged_location AS l ON l.source_id = place.location;

        INSERT INTO wanted_role (person, location, role, position)
        SELECT t.person, t.location, 'instructor', NULL
        FROM teaching AS t
        WHERE NOT EXISTS (
            SELECT 1 FROM staged_place AS place
            JOIN staged_location AS l ON l.source_id = place.location
            WHERE place.person = t.person AND l.line = t.location
        );

        DROP TABLE teaching;
        CREATE INDEX wanted_role_person ON wanted_role (person);
        """

    private static let memberships = """
        INSERT INTO wanted_membership (line, class, person, is_elsewhere)
        SELECT r.line, k.line, p.n, CASE WHEN k.location <> p.home THEN 1 ELSE 0 END
        FROM staged_roster AS r
        LEFT JOIN staged_class AS k ON k.source_id = r.class
        LEFT JOIN staged_person AS p ON p.source_id = r.student AND p.file = 'students';
        """
}
