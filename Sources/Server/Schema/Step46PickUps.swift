extension Schema {
    static let pickUps = """
        -- Folders into which a school's information system puts its files, and which the server reads once a day.
        CREATE TABLE roster_pick_up (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
            location_id INTEGER REFERENCES location (id) ON DELETE CASCADE, -- null: files of the whole organization
            hour INTEGER NOT NULL,                       -- of the day in UTC
            public_key TEXT,                             -- of the system that sends files by SFTP, as OpenSSH writes it
            due_at INTEGER NOT NULL,
            leased_until INTEGER,                        -- not null: a server reads it now
            read_at INTEGER,
            outcome TEXT,                                -- of that time
            error_count INTEGER NOT NULL DEFAULT 0,
            sealed_report BLOB                           -- what was wrong, or has changed
        ) STRICT;
        CREATE UNIQUE INDEX roster_pick_up_place ON roster_pick_up (organization_id, COALESCE(location_id, 0));
        CREATE INDEX roster_pick_up_location ON roster_pick_up (location_id) WHERE location_id IS NOT NULL;
        CREATE INDEX roster_pick_up_due ON roster_pick_up (due_at);
        """
}
