extension Schema {
    static let idMaps = """
        -- New ids that an administrator has given to records, because their files come from another system.
        CREATE TABLE id_map (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
            last_import_id INTEGER NOT NULL,             -- the newest import before it; 0: there was none
            applied_at INTEGER NOT NULL,
            undone_at INTEGER
        ) STRICT;
        CREATE INDEX id_map_organization ON id_map (organization_id, id);

        CREATE TABLE id_move (
            map_id INTEGER NOT NULL REFERENCES id_map (id) ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('location', 'person', 'course', 'class')),
            record_id INTEGER NOT NULL,                  -- in the table of that name
            old_id TEXT NOT NULL,
            new_id TEXT NOT NULL,
            PRIMARY KEY (map_id, kind, record_id)
        ) STRICT, WITHOUT ROWID;
        """
}
