extension Schema {
    static let credentials = """
        CREATE TABLE credential (
            person_id INTEGER PRIMARY KEY REFERENCES person (id) ON DELETE CASCADE,
            password_hash TEXT NOT NULL,                 -- Argon2id, in its own encoded form
            temporary_until INTEGER,                     -- null: chosen by the person
            failures INTEGER NOT NULL DEFAULT 0,         -- wrong passwords since the last right one
            changed_at INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE browser_session (
            token_hash BLOB PRIMARY KEY,                 -- SHA-256 of the cookie
            person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
            authenticated_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            user_agent TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX browser_session_person ON browser_session (person_id);
        CREATE INDEX browser_session_expiry ON browser_session (expires_at);

        -- One-time links that create the first administrator of an organization.
        CREATE TABLE invitation (
            token_hash BLOB PRIMARY KEY,
            organization_id INTEGER NOT NULL REFERENCES organization (id),
            role TEXT NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX invitation_organization ON invitation (organization_id);
        """
}
