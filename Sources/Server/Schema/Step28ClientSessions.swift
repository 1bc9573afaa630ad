extension Schema {
    static let clientSessions = """
        -- The first `token_hash` of the session, by which it is named below. It stays the same when the person signs in
        -- again within the session, which changes the token.
        ALTER TABLE browser_session ADD COLUMN first_hash BLOB;
        UPDATE browser_session SET first_hash = token_hash;
        CREATE INDEX browser_session_first ON browser_session (first_hash);

        -- The `first_hash` of the session in which the person signed in; null: a device's grant, or another profile.
        ALTER TABLE authorization_code ADD COLUMN session_hash BLOB;
        ALTER TABLE access_grant ADD COLUMN session_hash BLOB;

        -- Where the app's server is notified that a person has signed out (OpenID Connect Back-Channel Logout 1.0);
        -- null: it is not.
        ALTER TABLE app ADD COLUMN back_channel_logout_url TEXT;
        ALTER TABLE app ADD COLUMN logout_needs_session INTEGER NOT NULL DEFAULT 0;

        -- The clients that a person signed in to in a session, by its `first_hash`. This is no foreign key, because the
        -- session may expire long before the client's own session does.
        CREATE TABLE client_session (
            session_hash BLOB NOT NULL,
            client_id TEXT NOT NULL REFERENCES client (client_id) ON DELETE CASCADE,
            person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
            used_at INTEGER NOT NULL,
            PRIMARY KEY (session_hash, client_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX client_session_client ON client_session (client_id, person_id);
        CREATE INDEX client_session_person ON client_session (person_id);
        CREATE INDEX client_session_use ON client_session (used_at);

        -- Sessions that have ended and whose clients have not been notified yet. A trigger fills it, so that no code
        -- that ends a session can forget to.
        CREATE TABLE ended_session (
            session_hash BLOB PRIMARY KEY,
            expires_at INTEGER NOT NULL                  -- when it would have expired
        ) STRICT, WITHOUT ROWID;
        """

    static let endedSessionsInSQLite = """
        CREATE TRIGGER browser_session_end AFTER DELETE ON browser_session
        BEGIN
            INSERT INTO ended_session (session_hash, expires_at) VALUES (OLD.first_hash, OLD.expires_at)
            ON CONFLICT (session_hash) DO UPDATE SET expires_at = excluded.expires_at;
        END;
        """

    static let endedSessionsInPostgreSQL = """
        CREATE FUNCTION note_ended_session() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO ended_session (session_hash, expires_at) VALUES (OLD.first_hash, OLD.expires_at)
            ON CONFLICT (session_hash) DO UPDATE SET expires_at = excluded.expires_at;
            RETURN NULL;
        END
        $$;
        CREATE TRIGGER browser_session_end AFTER DELETE ON browser_session
        FOR EACH ROW EXECUTE FUNCTION note_ended_session();
        """
}
