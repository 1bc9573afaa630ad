extension Schema {
    static let personalAccounts = """
        -- A code that went to an email address and waits to be entered in the browser that asked for it.
        CREATE TABLE email_challenge (
            token_hash BLOB PRIMARY KEY,                 -- SHA-256 of the token in the address of the page
            browser_hash BLOB NOT NULL,                  -- SHA-256 of the cookie of the browser
            purpose TEXT NOT NULL CHECK (purpose IN ('sign_up', 'reset_password', 'change_email')),
            email TEXT NOT NULL,
            person_id INTEGER REFERENCES person (id) ON DELETE CASCADE,  -- whom it is about; null: nobody yet, or nobody
            given_name TEXT,                             -- name and password of an account to be
            family_name TEXT,
            password_hash TEXT,
            code_hash TEXT NOT NULL,                     -- Argon2id; of a code that nobody got, if none was to be sent
            attempts INTEGER NOT NULL DEFAULT 0,
            target TEXT NOT NULL,                        -- where the person goes on
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            verified_at INTEGER                          -- when the code was entered; null: not yet
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX email_challenge_expiry ON email_challenge (expires_at);
        CREATE INDEX email_challenge_person ON email_challenge (person_id);

        -- The codes of the last day, counted by email address and by network address. Hashes, and nothing else.
        CREATE TABLE code_request (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            email_hash BLOB NOT NULL,
            address_hash BLOB,                           -- of the network address; null: unknown
            requested_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX code_request_email ON code_request (email_hash, requested_at);
        CREATE INDEX code_request_address ON code_request (address_hash, requested_at);
        CREATE INDEX code_request_time ON code_request (requested_at);

        -- Wrong passwords of somebody who is signed in and is asked for the current one.
        ALTER TABLE browser_session ADD COLUMN wrong_passwords INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE browser_session ADD COLUMN wrong_since INTEGER;  -- of the first one counted

        -- An account that its owner deleted: only the id is left, so that nobody else ever gets it.
        ALTER TABLE person ADD COLUMN deleted_at INTEGER;
        """
}
