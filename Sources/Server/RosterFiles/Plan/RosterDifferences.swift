import Directory
import Storage

/// Compares the staging tables with the organization's records, and keeps the result in temporary tables.
///
/// Tables `known_…` map staged rows to existing records, and rows that are not in them are new. Tables `…_difference`
/// hold what an import would do to existing records. Only temporary tables are written, so a plan can be made in a
/// read-only transaction.
struct RosterDifferences<T: Transaction> {
    let organization: OrganizationID
    let transaction: T
    /// Whose records are compared.
    var scope = ImportScope.whole
    /// To which the classes of the files belong; nil if nothing is said about it.
    var term: TermID?

    /// Matches the staged rows with existing records by the ids in the files.
    func match() throws {
        for table in RosterDifferencesTables.names { try write("DELETE FROM \(table)") }
        for (known, staged, record) in [
            ("known_location", "staged_location", "location"), ("known_course", "staged_course", "course"),
            ("known_class", "staged_class", "class"),
        ] {
            try write(
                """
                INSERT INTO \(known) (line, id, is_new)
                SELECT s.line, r.id, 0
                FROM \(staged) AS s
                JOIN \(record) AS r ON r.organization_id = $1 AND r.source_id = s.source_id
                """,
                [organization])
        }
        try write(
            """
            INSERT INTO known_person (n, id, is_new)
            SELECT s.n, p.id, 0
            FROM staged_person AS s
            JOIN person AS p ON p.organization_id = $1 AND p.source_id = s.source_id
            """,
            [organization])
        if scope.kind == .business {
            let line = BusinessPlaces.lineOfBusiness
            try write("INSERT INTO known_location (line, id, is_new) VALUES ($1, 0, 0)", [line])
        }
        try passOnIdentifiers()
        try refreshStatistics("known_location", "known_person", "known_course", "known_class")
    }
}

// MARK: Statements

extension RosterDifferences {
    /// Writes to the session's temporary tables, which is allowed in a read-only transaction.
    func write(_ sql: String, _ parameters: [any SQLConvertible] = []) throws {
        try transaction.forEach(sql, parameters) { _ in }
    }

    func count(_ sql: String, _ parameters: [any SQLConvertible] = []) throws -> Int {
        try transaction.first(sql, parameters) { try $0[0] } ?? 0
    }

    /// As `refreshStatistics(of:)` of a ``DatabaseSession``, within a transaction that may only read: PostgreSQL
    /// gathers no statistics for temporary tables by itself.
    func refreshStatistics(_ tables: String...) throws {
        guard transaction.dialect == .postgres else { return }
        for table in tables { try write("ANALYZE \(table)") }
    }
}

enum RosterDifferencesTables {
    static let names = [
        "known_location", "known_person", "known_course", "known_class", "replaced_person", "lost_name", "new_person",
        "namesake", "numbered_person",
        "location_difference", "person_difference", "role_difference", "course_difference", "class_difference",
        "instructor_difference", "membership_difference",
    ]

    /// `effect` is what the import does to a record: 'added', 'changed', 'removed', 'missing' or 'reactivated'. In an
    /// import of single schools it can also be 'left_school', for a person whom the files name no more and who has a
    /// role at another school too: they stay in the organization, and lose only their roles at the schools of the
    /// import. `is_visible` is 1 if apps can see the change.
    static let sql = """
        CREATE TEMP TABLE known_location (line INTEGER PRIMARY KEY, id INTEGER, is_new INTEGER);
        CREATE TEMP TABLE known_person (n INTEGER PRIMARY KEY, id INTEGER, is_new INTEGER);
        CREATE TEMP TABLE known_course (line INTEGER PRIMARY KEY, id INTEGER, is_new INTEGER);
        CREATE TEMP TABLE known_class (line INTEGER PRIMARY KEY, id INTEGER, is_new INTEGER);
        -- Whose id passes to the new person of row n.
        CREATE TEMP TABLE replaced_person (id INTEGER PRIMARY KEY, n INTEGER);
        CREATE TEMP TABLE lost_name (given_name TEXT, family_name TEXT);
        CREATE TEMP TABLE new_person (n INTEGER PRIMARY KEY, base TEXT, user_name TEXT);
        CREATE TEMP TABLE namesake (n INTEGER PRIMARY KEY, number INTEGER);
        CREATE TEMP TABLE numbered_person (n INTEGER PRIMARY KEY, user_name TEXT);

        CREATE TEMP TABLE location_difference (id INTEGER PRIMARY KEY, line INTEGER, effect TEXT);
        CREATE TEMP TABLE person_difference (id INTEGER PRIMARY KEY, n INTEGER, effect TEXT, is_visible INTEGER);
        CREATE TEMP TABLE role_difference (
            person_id INTEGER, n INTEGER, location_id INTEGER, location INTEGER, role TEXT, position INTEGER,
            effect TEXT
        );
        CREATE TEMP TABLE course_difference (id INTEGER PRIMARY KEY, line INTEGER, effect TEXT);
        CREATE TEMP TABLE class_difference (id INTEGER PRIMARY KEY, line INTEGER, effect TEXT, is_visible INTEGER);
        CREATE TEMP TABLE instructor_difference (
            class_id INTEGER, person_id INTEGER, n INTEGER, position INTEGER, effect TEXT
        );
        CREATE TEMP TABLE membership_difference (
            class_id INTEGER, person_id INTEGER, n INTEGER, line INTEGER, effect TEXT
        );

        """

    /// Separate, because the tables above have keys in SQLite only.
    static let indexes = """
        CREATE INDEX known_location_id ON known_location (id);
        CREATE INDEX known_person_id ON known_person (id);
        CREATE INDEX known_course_id ON known_course (id);
        CREATE INDEX known_class_id ON known_class (id);
        CREATE INDEX lost_name_key ON lost_name (given_name, family_name);
        CREATE INDEX new_person_name ON new_person (user_name, n);
        CREATE UNIQUE INDEX person_difference_id ON person_difference (id);
        CREATE UNIQUE INDEX class_difference_id ON class_difference (id);
        """
}
