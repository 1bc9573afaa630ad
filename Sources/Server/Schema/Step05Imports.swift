extension Schema {
    static let imports = """
        CREATE TABLE roster_import (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
            digest TEXT NOT NULL,                        -- SHA-256 of the six files
            summary TEXT NOT NULL,                       -- JSON: numbers of added, changed, … records by type
            applied_at INTEGER NOT NULL,
            undone_at INTEGER
        ) STRICT;
        CREATE INDEX roster_import_organization ON roster_import (organization_id, id);

        CREATE TABLE import_threshold (
            organization_id INTEGER PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
            removed_percent INTEGER NOT NULL CHECK (removed_percent BETWEEN 0 AND 100),
            changed_percent INTEGER NOT NULL CHECK (changed_percent BETWEEN 0 AND 100)
        ) STRICT;

        -- The rows that an import changed or removed, as they were before it; kept for the last import of an
        -- organization only. Rows that it added have the import's id in their own table.
        CREATE TABLE undo_location (
            import_id INTEGER NOT NULL REFERENCES roster_import (id) ON DELETE CASCADE,
            location_id INTEGER NOT NULL,
            source TEXT NOT NULL,
            name TEXT NOT NULL,
            archived_at INTEGER,
            PRIMARY KEY (import_id, location_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE undo_person (
            import_id INTEGER NOT NULL REFERENCES roster_import (id) ON DELETE CASCADE,
            person_id INTEGER NOT NULL,
            effect TEXT NOT NULL CHECK (effect IN ('changed', 'missing', 'reactivated')),
            given_name TEXT NOT NULL,
            middle_name TEXT,
            family_name TEXT NOT NULL,
            email TEXT,
            grade TEXT,
            person_number TEXT,
            sis_username TEXT,
            password_policy TEXT,
            state TEXT NOT NULL,
            deactivated_at INTEGER,
            missing_since INTEGER,
            PRIMARY KEY (import_id, person_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE undo_role (
            import_id INTEGER NOT NULL REFERENCES roster_import (id) ON DELETE CASCADE,
            person_id INTEGER NOT NULL,
            location_id INTEGER NOT NULL,
            role TEXT NOT NULL,
            roster_role TEXT NOT NULL,
            position INTEGER,
            PRIMARY KEY (import_id, person_id, location_id, role)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE undo_course (
            import_id INTEGER NOT NULL REFERENCES roster_import (id) ON DELETE CASCADE,
            course_id INTEGER NOT NULL,
            source TEXT NOT NULL,
            number TEXT,
            name TEXT,
            location_id INTEGER NOT NULL,
            archived_at INTEGER,
            PRIMARY KEY (import_id, course_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE undo_class (
            import_id INTEGER NOT NULL REFERENCES roster_import (id) ON DELETE CASCADE,
            class_id INTEGER NOT NULL,
            effect TEXT NOT NULL CHECK (effect IN ('changed', 'missing', 'reactivated')),
            source TEXT NOT NULL,
            course_id INTEGER,
            location_id INTEGER,
            number TEXT,
            name TEXT NOT NULL,
            display_name TEXT,
            archived_at INTEGER,
            PRIMARY KEY (import_id, class_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE undo_instructor (
            import_id INTEGER NOT NULL REFERENCES roster_import (id) ON DELETE CASCADE,
            class_id INTEGER NOT NULL,
            person_id INTEGER NOT NULL,
            position INTEGER NOT NULL,
            PRIMARY KEY (import_id, class_id, person_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE undo_student (
            import_id INTEGER NOT NULL REFERENCES roster_import (id) ON DELETE CASCADE,
            class_id INTEGER NOT NULL,
            person_id INTEGER NOT NULL,
            roster_id TEXT,
            PRIMARY KEY (import_id, class_id, person_id)
        ) STRICT, WITHOUT ROWID;
        """
}
