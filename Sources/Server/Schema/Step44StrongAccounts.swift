extension Schema {
    static let strongAccounts = """
        -- How the person proved who they are, as bits: 1 a password, 2 the key of a registered device, 4 a passkey,
        -- 8 the passkey's authenticator made sure who touched it, 16 a one-time code, 32 a recovery code.
        ALTER TABLE browser_session ADD COLUMN methods INTEGER NOT NULL DEFAULT 0;
        -- When they last proved it in this session, and how. Null: only a device has.
        ALTER TABLE browser_session ADD COLUMN confirmed_at INTEGER;
        ALTER TABLE browser_session ADD COLUMN confirmed_by INTEGER NOT NULL DEFAULT 0;
        UPDATE browser_session SET methods = 2 WHERE device_id IS NOT NULL;
        UPDATE browser_session SET methods = 1, confirmed_at = authenticated_at, confirmed_by = 1 WHERE device_id IS NULL;
        -- Those of the session in which an app got the code or the grant. 64: the app has asked for `password` as `acr`.
        ALTER TABLE authorization_code ADD COLUMN methods INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE access_grant ADD COLUMN methods INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE device_authorization ADD COLUMN methods INTEGER NOT NULL DEFAULT 0;
        UPDATE authorization_code SET methods = CASE WHEN device_id IS NULL THEN 1 ELSE 2 END;
        UPDATE access_grant SET methods = CASE WHEN device_id IS NULL THEN 1 ELSE 2 END;
        UPDATE device_authorization SET methods = CASE WHEN device_id IS NULL THEN 1 ELSE 2 END;

        -- The public half of a key with which a person signs in, in place of a password or beside it.
        CREATE TABLE passkey (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
            credential_id BLOB NOT NULL UNIQUE,          -- chosen by the authenticator
            user_handle BLOB NOT NULL,                   -- what the authenticator knows the person by
            algorithm INTEGER NOT NULL,                  -- as COSE numbers them: -7, -8 or -257
            public_key BLOB NOT NULL,
            signature_count INTEGER NOT NULL,            -- 0: the authenticator does not count
            may_be_backed_up INTEGER NOT NULL,
            is_backed_up INTEGER NOT NULL,
            name TEXT NOT NULL,
            added_at INTEGER NOT NULL,
            used_at INTEGER
        ) STRICT;
        CREATE INDEX passkey_person ON passkey (person_id, id);

        -- The secret that a person's generator of one-time codes shares with the server.
        CREATE TABLE one_time_code_key (
            person_id INTEGER PRIMARY KEY REFERENCES person (id) ON DELETE CASCADE,
            sealed_secret BLOB NOT NULL,
            last_step INTEGER NOT NULL,                  -- of the last code that was taken; none from before is
            added_at INTEGER NOT NULL
        ) STRICT;

        -- Codes on paper, each good for one sign-in; then it is deleted.
        CREATE TABLE recovery_code (
            code_hash BLOB PRIMARY KEY,
            person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
            made_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX recovery_code_person ON recovery_code (person_id);

        -- A browser in which the password was right, and which still has to show a second factor. It is not signed in.
        CREATE TABLE pending_sign_in (
            token_hash BLOB PRIMARY KEY,                 -- SHA-256 of the cookie
            person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
            sign_in_version INTEGER NOT NULL,
            failures INTEGER NOT NULL DEFAULT 0,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX pending_sign_in_person ON pending_sign_in (person_id);
        CREATE INDEX pending_sign_in_expiry ON pending_sign_in (expires_at);
        """
}
