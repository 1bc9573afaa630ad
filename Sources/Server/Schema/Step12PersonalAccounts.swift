extension Schema {
    static let personalAccounts = """
        -- Codes that were sent to an email address, and are to be entered in the browser that requested them.
        CREATE TABLE email_challenge (
            token_hash BLOB PRIMARY KEY,                 -- SHA-256 of the token in the URL of the page
            browser_hash BLOB NOT NULL,                  -- SHA-256 of the cookie of the browser
            purpose TEXT NOT NULL CHECK (purpose IN ('sign_up', 'reset_password', 'change_email')),
            email TEXT NOT NULL,
            person_id INTEGER REFERENCES person (id) ON DELETE CASCADE,  -- null: no account, or none yet
            given_name TEXT,                             -- name and password of the account to be created
            family_name TEXT,
            password_hash TEXT,
            code_hash TEXT NOT NULL,                     -- Argon2id; also where no code was sent
            attempts INTEGER NOT NULL DEFAULT 0,
            target TEXT NOT NULL,                        -- URL path to which the person goes next
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            verified_at INTEGER                          -- when the code was entered; null: not yet
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX email_challenge_expiry ON email_challenge (expires_at);
        CREATE INDEX email_challenge_person ON email_challenge (person_id);

        -- Codes that were requested in the last day, to limit them by email address and by network address. Only hashes
        -- are kept.
        CREATE TABLE code_request (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            email_hash BLOB NOT NULL,
            address_hash BLOB,                           -- SHA-256 of the network address; null: unknown
            requested_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX code_request_email ON code_request (email_hash, requested_at);
        CREATE INDEX code_request_address ON code_request (address_hash, requested_at);
        CREATE INDEX code_request_time ON code_request (requested_at);

        -- Wrong entries where a person who is signed in has to enter the current password.
        ALTER TABLE browser_session ADD COLUMN wrong_passwords INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE browser_session ADD COLUMN wrong_since INTEGER;  -- when the first one was counted

        -- When the owner deleted a personal account. Only the id stays, so that it is never assigned again.
        ALTER TABLE person ADD COLUMN deleted_at INTEGER;
        """
}
