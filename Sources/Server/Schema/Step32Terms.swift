extension Schema {
    static let terms = """
        -- Terms and school years, to which classes belong.
        CREATE TABLE term (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            organization_id INTEGER NOT NULL REFERENCES organization (id),
            name TEXT NOT NULL,
            first_day TEXT NOT NULL,                     -- 2026-08-17
            last_day TEXT NOT NULL,
            location_id INTEGER REFERENCES location (id),  -- null: all places
            created_at INTEGER NOT NULL,
            closed_at INTEGER,
            UNIQUE (organization_id, name),
            CHECK (first_day <= last_day)
        ) STRICT;
        CREATE INDEX term_location ON term (location_id);

        ALTER TABLE class ADD COLUMN term_id INTEGER REFERENCES term (id);
        CREATE INDEX class_term ON class (term_id);
        ALTER TABLE undo_class ADD COLUMN term_id INTEGER;

        ALTER TABLE class ADD COLUMN missing_since INTEGER;  -- since when imports do not name it any more
        ALTER TABLE undo_class ADD COLUMN missing_since INTEGER;
        CREATE INDEX class_archived ON class (organization_id, id) WHERE archived_at IS NOT NULL;

        -- What undoing an import had withdrawn.
        UPDATE class SET missing_since = archived_at WHERE source = 'csv' AND archived_at IS NOT NULL;
        -- Until now an import emptied a class that it did not find, and left it as one made by hand.
        UPDATE class SET source = 'csv', archived_at = modified_at, missing_since = modified_at
        WHERE source = 'manual' AND source_id IS NOT NULL AND import_id IS NOT NULL AND archived_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM class_student AS m WHERE m.class_id = class.id);
        """
}
