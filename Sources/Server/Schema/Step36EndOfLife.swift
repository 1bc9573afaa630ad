extension Schema {
    static let endOfLife = """
        -- Records of people that were erased. The row in `person` stays without any content, so that its id, from which
        -- apps have got theirs, is never assigned again.
        CREATE TABLE erasure (
            person_id INTEGER PRIMARY KEY REFERENCES person (id),
            organization_id INTEGER NOT NULL REFERENCES organization (id),
            erased_at INTEGER NOT NULL,
            identity_hash BLOB                           -- SHA-256 of the person id of the CSV files; null: had none
        ) STRICT;
        CREATE INDEX erasure_organization ON erasure (organization_id, person_id);

        -- The apps that are told of an erasure, until each has answered that it knows.
        CREATE TABLE erasure_notice (
            person_id INTEGER NOT NULL REFERENCES erasure (person_id) ON DELETE CASCADE,
            app_id INTEGER NOT NULL REFERENCES app (id) ON DELETE CASCADE,
            jti TEXT UNIQUE,                             -- of the notification; null: the app takes none
            acknowledged_at INTEGER,
            PRIMARY KEY (person_id, app_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX erasure_notice_app ON erasure_notice (app_id);

        -- User names of erased people. Nobody else gets one until the time is over.
        CREATE TABLE erased_name (
            name_hash BLOB PRIMARY KEY,                  -- SHA-256 of the name in lower case
            kept_until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX erased_name_expiry ON erased_name (kept_until);

        -- While a legal hold is in force, nothing that it covers is erased.
        CREATE TABLE legal_hold (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            organization_id INTEGER NOT NULL REFERENCES organization (id),
            person_id INTEGER REFERENCES person (id),    -- null: the whole organization
            reason TEXT NOT NULL,
            begun_at INTEGER NOT NULL,
            last_day TEXT NOT NULL,                      -- 2027-07-31
            ended_at INTEGER                             -- null: not ended by hand
        ) STRICT;
        CREATE INDEX legal_hold_organization ON legal_hold (organization_id, id);
        CREATE INDEX legal_hold_person ON legal_hold (person_id);

        -- After how many days something is erased. Without a row it never is.
        CREATE TABLE retention_rule (
            organization_id INTEGER NOT NULL REFERENCES organization (id),
            kind TEXT NOT NULL,
            days INTEGER NOT NULL CHECK (days > 0),
            applied_on TEXT,                             -- the last day on which it was applied to everything
            PRIMARY KEY (organization_id, kind)
        ) STRICT, WITHOUT ROWID;
        -- For finding who has left long ago.
        CREATE INDEX person_deactivated ON person (organization_id, deactivated_at, id) WHERE state = 'deactivated';
        """
}
