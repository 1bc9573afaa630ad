extension Schema {
    static let attemptLimits = """
        -- Wrong passwords from browsers that the account does not know make the next ones wait.
        ALTER TABLE credential ADD COLUMN failed_at INTEGER;         -- of the last one counted in `failures`
        ALTER TABLE credential ADD COLUMN paused_until INTEGER;      -- null: nobody has to wait
        CREATE INDEX credential_pause ON credential (paused_until) WHERE paused_until IS NOT NULL;
        -- Locks of before had no end; they end now.
        UPDATE credential SET paused_until = 0 WHERE failures > 10;

        -- The same count for names that no account with a password has: only the newest are kept.
        CREATE TABLE unknown_name (
            name_hash BLOB PRIMARY KEY,                  -- SHA-256 of the name in lower case
            failures INTEGER NOT NULL,
            failed_at INTEGER NOT NULL,
            paused_until INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX unknown_name_failure ON unknown_name (failed_at);

        -- A browser in which the person has signed in before.
        CREATE TABLE known_browser (
            browser_hash BLOB NOT NULL,                  -- SHA-256 of the cookie
            person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
            failures INTEGER NOT NULL DEFAULT 0,         -- wrong passwords in this browser since the last right one
            used_at INTEGER NOT NULL,                    -- of the last right one
            PRIMARY KEY (browser_hash, person_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX known_browser_person ON known_browser (person_id);
        CREATE INDEX known_browser_use ON known_browser (used_at);

        -- SHA-256 of the address, or the /64 in IPv6, that brought the request: each holds a bounded number.
        ALTER TABLE parked_request ADD COLUMN address_hash BLOB;
        CREATE INDEX parked_request_address ON parked_request (address_hash, expires_at);
        """
}
