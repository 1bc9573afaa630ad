extension Schema {
    static let attemptLimits = """
        -- After wrong passwords from unknown browsers, further attempts from such browsers must wait.
        ALTER TABLE credential ADD COLUMN failed_at INTEGER;         -- when the last failure was counted
        ALTER TABLE credential ADD COLUMN paused_until INTEGER;      -- null: no need to wait
        CREATE INDEX credential_pause ON credential (paused_until) WHERE paused_until IS NOT NULL;
        -- Until now an account was locked without an end. These locks end now.
        UPDATE credential SET paused_until = 0 WHERE failures > 10;

        -- The same counts for user names without an account or password. Only the newest are kept.
        CREATE TABLE unknown_name (
            name_hash BLOB PRIMARY KEY,                  -- SHA-256 of the name in lower case
            failures INTEGER NOT NULL,
            failed_at INTEGER NOT NULL,
            paused_until INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX unknown_name_failure ON unknown_name (failed_at);

        -- Browsers in which a person has signed in before.
        CREATE TABLE known_browser (
            browser_hash BLOB NOT NULL,                  -- SHA-256 of the cookie
            person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
            failures INTEGER NOT NULL DEFAULT 0,         -- wrong passwords in this browser since the last right one
            used_at INTEGER NOT NULL,                    -- when the last right one was entered
            PRIMARY KEY (browser_hash, person_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX known_browser_person ON known_browser (person_id);
        CREATE INDEX known_browser_use ON known_browser (used_at);

        -- SHA-256 of the network address (IPv6: the /64) from which the request came. Requests from one address are
        -- limited.
        ALTER TABLE parked_request ADD COLUMN address_hash BLOB;
        CREATE INDEX parked_request_address ON parked_request (address_hash, expires_at);
        """
}
