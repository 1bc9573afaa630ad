import Storage

/// The temporary tables of one import: the files as they were read, and what follows from them alone.
///
/// They belong to the session and vanish with it; the organization's tables are not touched. `line` is the line of the
/// file, `person` the `n` of a staged person: students and staff share one numbering, in the order of reading.
enum StagingTables {
    static func create(in session: DatabaseSession) throws {
        try session.script(text(files + resolved + RosterDifferencesTables.sql, for: session.dialect))
        try session.script(RosterDifferencesTables.indexes)
        guard session.dialect == .postgres else { return }
        // For sorts and joins of a million rows. With the default of 4 MiB each of them would spill to disk.
        try session.script("SET work_mem = '64MB'")
    }

    /// Creates the indexes after the tables are filled, which is faster.
    static func index(in session: DatabaseSession) throws {
        try session.script(indexes)
        try session.refreshStatistics(of: [
            "staged_location", "staged_person", "staged_place", "staged_course", "staged_class", "staged_instructor",
            "staged_roster",
        ])
    }

    private static func text(_ sql: String, for dialect: Dialect) -> String {
        switch dialect {
        case .sqlite: sql
        // No primary key while rows are added: PostgreSQL would have to maintain its index for each of them.
        case .postgres: sql.replacing("INTEGER PRIMARY KEY", with: "BIGINT").replacing("INTEGER", with: "BIGINT")
        }
    }

    static let files = """
        CREATE TEMP TABLE staged_location (line INTEGER PRIMARY KEY, source_id TEXT, name TEXT);
        CREATE TEMP TABLE staged_person (
            n INTEGER PRIMARY KEY,
            file TEXT,                                   -- 'students' or 'staff'
            line INTEGER,
            source_id TEXT,
            given_name TEXT,
            middle_name TEXT,
            family_name TEXT,
            email TEXT,
            grade TEXT,
            person_number TEXT,
            sis_username TEXT,
            password_policy TEXT,
            home TEXT                                    -- the first location
        );
        CREATE TEMP TABLE staged_place (person INTEGER, position INTEGER, location TEXT);
        CREATE TEMP TABLE staged_course (
            line INTEGER PRIMARY KEY, source_id TEXT, number TEXT, name TEXT, location TEXT
        );
        CREATE TEMP TABLE staged_class (
            line INTEGER PRIMARY KEY, source_id TEXT, number TEXT, course TEXT, location TEXT, display_name TEXT
        );
        CREATE TEMP TABLE staged_instructor (class INTEGER, position INTEGER, person TEXT);
        CREATE TEMP TABLE staged_roster (line INTEGER PRIMARY KEY, roster_id TEXT, class TEXT, student TEXT);
        CREATE TEMP TABLE wanted_new_person (source_id TEXT);  -- ids that are to be new people's

        """

    private static let indexes = """
        CREATE INDEX staged_location_key ON staged_location (source_id);
        CREATE INDEX staged_person_key ON staged_person (source_id, file, home);
        CREATE INDEX staged_place_person ON staged_place (person);
        CREATE INDEX staged_course_key ON staged_course (source_id);
        CREATE INDEX staged_class_key ON staged_class (source_id, location);
        """

    /// The same records with references resolved: `location`, `course` and `class` are line numbers.
    static let resolved = """
        CREATE TEMP TABLE wanted_class (
            line INTEGER PRIMARY KEY, source_id TEXT, number TEXT, name TEXT, display_name TEXT, course INTEGER,
            location INTEGER
        );
        CREATE TEMP TABLE wanted_role (person INTEGER, location INTEGER, role TEXT, position INTEGER);
        CREATE TEMP TABLE wanted_instructor (class INTEGER, person INTEGER, position INTEGER);
        CREATE TEMP TABLE wanted_membership (
            line INTEGER,
            class INTEGER,                               -- null: leads nowhere
            person INTEGER,                              -- null: leads nowhere
            is_elsewhere INTEGER                         -- 1: the class is not at the student's first location
        );

        """
}

extension DatabaseSession {
    /// PostgreSQL needs statistics for good plans and does not gather them for temporary tables by itself. SQLite needs
    /// none here.
    func refreshStatistics(of tables: [String]) throws {
        guard dialect == .postgres else { return }
        for table in tables { try script("ANALYZE \(table)") }
    }
}
