extension Schema {
    static let directory = """
        CREATE TABLE organization (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            public_id TEXT NOT NULL UNIQUE,              -- UUID in lower case; `org_id` on the wire
            kind TEXT NOT NULL CHECK (kind IN ('school', 'business')),
            is_synthetic INTEGER NOT NULL DEFAULT 0,     -- the made-up school of the scope edu.rosterapi.test.read
            name TEXT NOT NULL,
            user_name_format TEXT NOT NULL,              -- how imported people get their user names
            created_at INTEGER NOT NULL,
            modified_at INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE domain (
            organization_id INTEGER NOT NULL REFERENCES organization (id),
            name TEXT NOT NULL,                          -- lower case, no trailing dot
            verified_at INTEGER,
            PRIMARY KEY (organization_id, name)
        ) STRICT, WITHOUT ROWID;
        -- Several organizations may claim a name, but only one can have verified it.
        CREATE UNIQUE INDEX domain_verified ON domain (name) WHERE verified_at IS NOT NULL;

        -- In this table and the following ones, `source` is 'csv' while imports may change the row, otherwise 'manual'.
        -- `import_id` is the import that added the row, null if it was added by hand.
        CREATE TABLE location (
            id INTEGER PRIMARY KEY AUTOINCREMENT,        -- `LO:<id>` on the wire
            organization_id INTEGER NOT NULL REFERENCES organization (id),
            source TEXT NOT NULL CHECK (source IN ('manual', 'csv')),
            source_id TEXT,                              -- location_id of the CSV files
            name TEXT NOT NULL,
            domain_name TEXT,
            time_zone TEXT,                              -- IANA name
            student_password_policy TEXT CHECK (student_password_policy IN ('4', '6', '8')),
            created_at INTEGER NOT NULL,
            modified_at INTEGER NOT NULL,
            archived_at INTEGER,
            import_id INTEGER,
            UNIQUE (organization_id, source_id)
        ) STRICT;

        CREATE TABLE person (
            id INTEGER PRIMARY KEY AUTOINCREMENT,        -- never reused: the pairwise ids are derived from it
            organization_id INTEGER REFERENCES organization (id),  -- null: a personal account
            source TEXT NOT NULL CHECK (source IN ('manual', 'csv')),
            source_id TEXT,                              -- person_id of the CSV files
            given_name TEXT NOT NULL,
            middle_name TEXT,
            family_name TEXT NOT NULL,
            email TEXT,                                  -- contact address, as the source spells it
            grade TEXT,
            person_number TEXT,
            sis_username TEXT,
            user_name TEXT NOT NULL UNIQUE,              -- lower case
            password_policy TEXT CHECK (password_policy IN ('4', '6', '8')),  -- null: that of the location
            state TEXT NOT NULL CHECK (state IN ('new', 'active', 'deactivated', 'locked')),
            deactivated_at INTEGER,
            missing_since INTEGER,                       -- since when the CSV files no longer contain the person
            created_at INTEGER NOT NULL,
            modified_at INTEGER NOT NULL,
            import_id INTEGER,
            UNIQUE (organization_id, source_id)
        ) STRICT;
        -- For roster pages, which list the people of one organization by id.
        CREATE INDEX person_of_organization ON person (organization_id, id) WHERE state <> 'deactivated';

        CREATE TABLE role_assignment (
            person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
            location_id INTEGER NOT NULL,                -- 0: held at the organization itself
            role TEXT NOT NULL CHECK (role IN (
                'administrator', 'site_manager', 'people_manager', 'device_enrollment_manager',
                'content_manager', 'manager', 'instructor', 'staff', 'student')),
            roster_role TEXT NOT NULL CHECK (roster_role IN ('Student', 'Instructor', 'Staff')),  -- what apps see
            organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
            source TEXT NOT NULL CHECK (source IN ('manual', 'csv')),
            position INTEGER,                            -- n for the n-th location_id of the CSV row; null: not in it
            import_id INTEGER,
            PRIMARY KEY (person_id, location_id, role)
        ) STRICT, WITHOUT ROWID;
        -- For roster pages of one role.
        CREATE INDEX role_assignment_roster ON role_assignment (organization_id, roster_role, person_id);
        CREATE INDEX role_assignment_location ON role_assignment (location_id);

        CREATE TABLE course (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            organization_id INTEGER NOT NULL REFERENCES organization (id),
            source TEXT NOT NULL CHECK (source IN ('manual', 'csv')),
            source_id TEXT,
            number TEXT,
            name TEXT,
            location_id INTEGER NOT NULL REFERENCES location (id),
            created_at INTEGER NOT NULL,
            modified_at INTEGER NOT NULL,
            archived_at INTEGER,
            import_id INTEGER,
            UNIQUE (organization_id, source_id)
        ) STRICT;
        CREATE INDEX course_location ON course (location_id);

        CREATE TABLE class (
            id INTEGER PRIMARY KEY AUTOINCREMENT,        -- `CL-<id>` on the wire
            organization_id INTEGER NOT NULL REFERENCES organization (id),
            source TEXT NOT NULL CHECK (source IN ('manual', 'csv')),
            source_id TEXT,
            course_id INTEGER REFERENCES course (id),
            location_id INTEGER REFERENCES location (id),
            number TEXT,
            name TEXT NOT NULL,
            display_name TEXT,
            room TEXT,
            created_at INTEGER NOT NULL,
            modified_at INTEGER NOT NULL,                -- also when its members change
            archived_at INTEGER,
            import_id INTEGER,
            UNIQUE (organization_id, source_id)
        ) STRICT;
        CREATE INDEX class_of_organization ON class (organization_id, id) WHERE archived_at IS NULL;
        CREATE INDEX class_course ON class (course_id);
        CREATE INDEX class_location ON class (location_id);

        CREATE TABLE class_instructor (
            class_id INTEGER NOT NULL REFERENCES class (id) ON DELETE CASCADE,
            person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,                   -- 1 is the first instructor
            import_id INTEGER,
            PRIMARY KEY (class_id, person_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX class_instructor_person ON class_instructor (person_id);

        CREATE TABLE class_student (
            class_id INTEGER NOT NULL REFERENCES class (id) ON DELETE CASCADE,
            person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
            roster_id TEXT,                              -- of the CSV row; null if added by hand
            import_id INTEGER,
            PRIMARY KEY (class_id, person_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX class_student_person ON class_student (person_id);
        """
}
