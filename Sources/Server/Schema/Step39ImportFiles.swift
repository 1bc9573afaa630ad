extension Schema {
    static let importFiles = """
        -- The files of imports, as they came: what was applied, and what waits for approval.
        CREATE TABLE import_files (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
            import_id INTEGER UNIQUE REFERENCES roster_import (id) ON DELETE CASCADE, -- null: it is held
            plan_id TEXT,                                -- of the import that is held
            kept_at INTEGER NOT NULL,
            byte_count INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX import_files_organization ON import_files (organization_id, id);
        CREATE INDEX import_files_age ON import_files (kept_at);

        -- A ZIP archive, sealed part by part under the master key.
        CREATE TABLE import_files_part (
            files_id INTEGER NOT NULL REFERENCES import_files (id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            sealed BLOB NOT NULL,
            PRIMARY KEY (files_id, number)
        ) STRICT, WITHOUT ROWID;
        """
}
