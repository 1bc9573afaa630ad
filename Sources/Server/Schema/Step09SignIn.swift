extension Schema {
    /// Grants can now belong to the consent of a person who signs in, and access rules can be about signing in.
    static let grantsOfPeopleInSQLite = """
        DROP TABLE authorization_code;

        ALTER TABLE access_grant RENAME TO former_grant;
        DROP INDEX access_grant_consent;
        DROP INDEX access_grant_client;
        DROP INDEX access_grant_person;
        CREATE TABLE access_grant (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            profile TEXT NOT NULL CHECK (profile IN ('roster', 'compatible', 'standard')),
            consent_id INTEGER REFERENCES consent (id) ON DELETE CASCADE,
            sign_in_consent_id INTEGER REFERENCES sign_in_consent (id) ON DELETE CASCADE,
            client_id TEXT NOT NULL REFERENCES client (client_id) ON DELETE CASCADE,
            person_id INTEGER NOT NULL REFERENCES person (id),  -- who consented
            scopes TEXT NOT NULL,
            refresh_token_hash BLOB UNIQUE,              -- null: none was asked for
            authenticated_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            revoked_at INTEGER,
            CHECK ((consent_id IS NULL) <> (sign_in_consent_id IS NULL))
        ) STRICT;
        INSERT INTO access_grant (id, profile, consent_id, client_id, person_id, scopes, refresh_token_hash,
                                  authenticated_at, created_at, revoked_at)
        SELECT id, 'roster', consent_id, client_id, person_id, scopes, refresh_token_hash, authenticated_at, created_at,
               revoked_at
        FROM former_grant;
        -- Ids of grants stand in tokens, so they must never be reused: the new table goes on counting where the old one
        -- stopped.
        DELETE FROM sqlite_sequence WHERE name = 'access_grant';
        INSERT INTO sqlite_sequence (name, seq)
        SELECT 'access_grant', seq FROM sqlite_sequence WHERE name = 'former_grant';
        DROP TABLE former_grant;
        CREATE INDEX access_grant_consent ON access_grant (consent_id);
        CREATE INDEX access_grant_client ON access_grant (client_id);
        CREATE INDEX access_grant_person ON access_grant (person_id);
        CREATE INDEX access_grant_sign_in ON access_grant (sign_in_consent_id);

        ALTER TABLE access_rule RENAME TO former_rule;
        CREATE TABLE access_rule (
            organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
            purpose TEXT NOT NULL CHECK (purpose IN ('data_sharing', 'sign_in')),
            mode TEXT NOT NULL CHECK (mode IN ('allow_all_apps', 'allow_only_listed_apps')),
            version INTEGER NOT NULL,                    -- counts the changes; logged with each refusal
            PRIMARY KEY (organization_id, purpose)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO access_rule SELECT organization_id, purpose, mode, version FROM former_rule;
        DROP TABLE former_rule;
        """

    static let grantsOfPeopleInPostgreSQL = """
        DROP TABLE authorization_code;

        ALTER TABLE access_grant ADD COLUMN profile TEXT NOT NULL DEFAULT 'roster'
            CHECK (profile IN ('roster', 'compatible', 'standard'));
        ALTER TABLE access_grant ALTER COLUMN profile DROP DEFAULT;
        ALTER TABLE access_grant ALTER COLUMN consent_id DROP NOT NULL;
        ALTER TABLE access_grant ALTER COLUMN refresh_token_hash DROP NOT NULL;
        ALTER TABLE access_grant ADD COLUMN sign_in_consent_id BIGINT
            REFERENCES sign_in_consent (id) ON DELETE CASCADE;
        ALTER TABLE access_grant ADD CHECK ((consent_id IS NULL) <> (sign_in_consent_id IS NULL));
        CREATE INDEX access_grant_sign_in ON access_grant (sign_in_consent_id);

        ALTER TABLE access_rule DROP CONSTRAINT access_rule_purpose_check;
        ALTER TABLE access_rule ADD CONSTRAINT access_rule_purpose_check CHECK (purpose IN ('data_sharing', 'sign_in'));
        """

    /// Runs before the tables that refer to it are changed.
    static let signInConsents = """
        -- What a person agreed to share with an app when signing in to it.
        CREATE TABLE sign_in_consent (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            app_id INTEGER NOT NULL REFERENCES app (id),
            person_id INTEGER NOT NULL REFERENCES person (id),
            scopes TEXT NOT NULL,
            given_name TEXT,                             -- as the owner of a personal account entered it for this app
            family_name TEXT,
            hides_email INTEGER NOT NULL,                -- the app gets the hidden address of its team
            request_hash BLOB NOT NULL,                  -- the parked request whose answer carries `user`
            granted_at INTEGER NOT NULL,
            revoked_at INTEGER
        ) STRICT;
        -- At most one consent of a person to an app is in force; revoked ones stay as history.
        CREATE UNIQUE INDEX sign_in_consent_living ON sign_in_consent (app_id, person_id) WHERE revoked_at IS NULL;
        CREATE INDEX sign_in_consent_person ON sign_in_consent (person_id);
        """

    static let signIn = """
        ALTER TABLE client ADD COLUMN secret_hash BLOB;              -- SHA-256 of a fixed secret
        ALTER TABLE client ADD COLUMN is_public INTEGER NOT NULL DEFAULT 0;  -- a native app, which cannot keep a secret
        ALTER TABLE server_key ADD COLUMN signs_from INTEGER;        -- null: since `created_at`
        -- Where an app may have a person redirected after signing out.
        CREATE TABLE sign_out_url (
            app_id INTEGER NOT NULL REFERENCES app (id) ON DELETE CASCADE,
            url TEXT NOT NULL,
            PRIMARY KEY (app_id, url)
        ) STRICT, WITHOUT ROWID;

        -- Parked requests are at most an hour old, so they are dropped; people who are signing in right now have to
        -- start again.
        DROP TABLE parked_request;
        CREATE TABLE parked_request (
            token_hash BLOB PRIMARY KEY,
            profile TEXT NOT NULL,
            client_id TEXT NOT NULL REFERENCES client (client_id) ON DELETE CASCADE,
            redirect_uri TEXT NOT NULL,                  -- empty for a request of a device
            scopes TEXT NOT NULL,
            state TEXT,
            nonce TEXT,
            response_mode TEXT NOT NULL,
            returns_identity_token INTEGER NOT NULL,
            code_challenge TEXT,
            prompts TEXT NOT NULL,                       -- separated by spaces
            authenticated_since INTEGER,                 -- the person must have signed in at this time or later
            login_hint TEXT,
            device_hash BLOB,
            blocked_at INTEGER,                          -- when the audit trail recorded that the app is not allowed
            browser_hash BLOB NOT NULL,                  -- SHA-256 of the cookie of the browser that brought it
            session_hash BLOB,                           -- of the session that was begun for this request
            expires_at INTEGER NOT NULL,
            answer TEXT                                  -- 'allowed' or 'denied'; null: not decided yet
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX parked_request_expiry ON parked_request (expires_at);
        CREATE INDEX parked_request_client ON parked_request (client_id);
        CREATE INDEX parked_request_browser ON parked_request (browser_hash);

        CREATE TABLE authorization_code (
            code_hash BLOB PRIMARY KEY,
            profile TEXT NOT NULL,
            request_hash BLOB NOT NULL,                  -- the parked request that led to it
            consent_id INTEGER REFERENCES consent (id) ON DELETE CASCADE,
            sign_in_consent_id INTEGER REFERENCES sign_in_consent (id) ON DELETE CASCADE,
            client_id TEXT NOT NULL REFERENCES client (client_id) ON DELETE CASCADE,
            person_id INTEGER NOT NULL REFERENCES person (id),
            scopes TEXT NOT NULL,
            redirect_uri TEXT NOT NULL,
            nonce TEXT,
            code_challenge TEXT,
            authenticated_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            redeemed_at INTEGER,
            grant_id INTEGER REFERENCES access_grant (id) ON DELETE SET NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX authorization_code_request ON authorization_code (request_hash);
        CREATE INDEX authorization_code_expiry ON authorization_code (expires_at);
        CREATE INDEX authorization_code_consent ON authorization_code (consent_id);
        CREATE INDEX authorization_code_sign_in ON authorization_code (sign_in_consent_id);
        CREATE INDEX authorization_code_client ON authorization_code (client_id);
        CREATE INDEX authorization_code_grant ON authorization_code (grant_id);

        -- Refresh tokens that were exchanged for a new one. If one is used again, it or its successor has been stolen.
        CREATE TABLE spent_refresh_token (
            token_hash BLOB PRIMARY KEY,
            grant_id INTEGER NOT NULL REFERENCES access_grant (id) ON DELETE CASCADE,
            spent_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX spent_refresh_token_grant ON spent_refresh_token (grant_id);

        -- Devices that wait until a person has entered their code in a browser. RFC 8628.
        CREATE TABLE device_authorization (
            device_hash BLOB PRIMARY KEY,
            user_code TEXT NOT NULL UNIQUE,
            client_id TEXT NOT NULL REFERENCES client (client_id) ON DELETE CASCADE,
            scopes TEXT NOT NULL,
            nonce TEXT,
            pause INTEGER NOT NULL,                      -- minimum seconds between two polls of the device
            asked_at INTEGER,
            expires_at INTEGER NOT NULL,
            answer TEXT,                                 -- 'allowed' or 'denied'; null: not decided yet
            sign_in_consent_id INTEGER REFERENCES sign_in_consent (id) ON DELETE CASCADE,
            person_id INTEGER REFERENCES person (id),
            authenticated_at INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX device_authorization_expiry ON device_authorization (expires_at);
        CREATE INDEX device_authorization_client ON device_authorization (client_id);
        CREATE INDEX device_authorization_sign_in ON device_authorization (sign_in_consent_id);

        -- Apps that were transferred to another team. For 60 days people have a transfer identifier besides their
        -- pairwise id.
        CREATE TABLE app_transfer (
            app_id INTEGER NOT NULL REFERENCES app (id) ON DELETE CASCADE,
            from_team_id INTEGER NOT NULL REFERENCES team (id),
            to_team_id INTEGER NOT NULL REFERENCES team (id),
            accepted_at INTEGER NOT NULL,
            PRIMARY KEY (app_id, accepted_at)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX app_transfer_from ON app_transfer (from_team_id);
        CREATE INDEX app_transfer_to ON app_transfer (to_team_id);
        """
}
