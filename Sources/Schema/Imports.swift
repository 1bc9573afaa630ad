extension Schema {
    static let imports = """
        CREATE TABLE roster_import (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
            digest TEXT NOT NULL,                        -- SHA-256 over the six files
            summary TEXT NOT NULL,                       -- JSON: what was added, changed, deactivated, a type
            applied_at INTEGER NOT NULL,
            undone_at INTEGER
        ) STRICT;
        CREATE INDEX roster_import_organization ON roster_import (organization_id, id);

        -- How the rows that an import touched looked before it, for the last import of an organization only.
        -- `before` is the whole row as JSON; null means that the row was not there.
        CREATE TABLE import_undo (
            import_id INTEGER NOT NULL REFERENCES roster_import (id) ON DELETE CASCADE,
            record TEXT NOT NULL CHECK (record IN ('location', 'person', 'role', 'course', 'class', 'instructor', 'student')),
            record_id INTEGER NOT NULL,
            other_id INTEGER NOT NULL DEFAULT 0,         -- the second half of the key of roles and members
            detail TEXT NOT NULL DEFAULT '',             -- the third: the role
            before TEXT,
            PRIMARY KEY (import_id, record, record_id, other_id, detail)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE import_threshold (
            organization_id INTEGER PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
            removed_percent INTEGER NOT NULL CHECK (removed_percent BETWEEN 0 AND 100),
            changed_percent INTEGER NOT NULL CHECK (changed_percent BETWEEN 0 AND 100)
        ) STRICT;
        """
}
