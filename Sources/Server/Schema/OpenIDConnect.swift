extension Schema {
    static let quietSignIns = """
        -- Sign-ins to apps that know the person go on without a page, unless somebody wants each one confirmed.
        ALTER TABLE organization ADD COLUMN asks_every_time INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE app ADD COLUMN asks_every_time INTEGER NOT NULL DEFAULT 0;
        """

    static let signingAlgorithms = """
        -- With which keys identity tokens for a client are signed, and of which kind a key is: RS256 or ES256. The first key
        -- of a kind is made when a server starts.
        ALTER TABLE client ADD COLUMN signing_algorithm TEXT NOT NULL DEFAULT 'RS256';
        ALTER TABLE server_key ADD COLUMN algorithm TEXT NOT NULL DEFAULT 'RS256';
        """

    static let requestedClaims = """
        -- Single claims that a client asks for beside its scopes, as `id_token:email userinfo:name`.
        ALTER TABLE parked_request ADD COLUMN claims TEXT NOT NULL DEFAULT '';
        ALTER TABLE authorization_code ADD COLUMN claims TEXT NOT NULL DEFAULT '';
        ALTER TABLE access_grant ADD COLUMN claims TEXT NOT NULL DEFAULT '';
        -- A session that a device began does not count.
        ALTER TABLE parked_request ADD COLUMN needs_password INTEGER NOT NULL DEFAULT 0;

        -- The organization of an account has a scope of its own now. Whoever has been told it goes on to be.
        UPDATE access_grant SET scopes = scopes || ' organization' WHERE profile = 'standard';

        -- The language that the person has chosen on the pages, a BCP 47 tag; null: none yet.
        ALTER TABLE person ADD COLUMN language TEXT;
        """

    static let clientSessions = """
        -- What the session was called when it began: signing in again in it gives it another token, and no other name.
        ALTER TABLE browser_session ADD COLUMN first_hash BLOB;
        UPDATE browser_session SET first_hash = token_hash;
        CREATE INDEX browser_session_first ON browser_session (first_hash);

        -- The session behind what a client got, as it is called above; null: a device's, or another profile's.
        ALTER TABLE authorization_code ADD COLUMN session_hash BLOB;
        ALTER TABLE access_grant ADD COLUMN session_hash BLOB;

        -- Where a client's server hears that somebody has signed out; null: it does not.
        ALTER TABLE app ADD COLUMN back_channel_logout_url TEXT;
        ALTER TABLE app ADD COLUMN logout_needs_session INTEGER NOT NULL DEFAULT 0;

        -- The clients that a person signed in to in a session, by its name. No foreign key: the session may be over by its
        -- time long before the client's own is.
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

        -- Sessions that have ended, of which no client has been told yet. The trigger below writes it, so that no way in
        -- which a session ends can forget it.
        CREATE TABLE ended_session (
            session_hash BLOB PRIMARY KEY,
            expires_at INTEGER NOT NULL                  -- when it would have ended by itself
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
