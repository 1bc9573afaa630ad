extension Schema {
    static let authorization = """
        -- Keys of the server itself, encrypted with the master key, which is kept outside the database.
        CREATE TABLE server_key (
            key_id TEXT PRIMARY KEY,                     -- `kid` of the tokens that it signs
            purpose TEXT NOT NULL CHECK (purpose IN ('sign_tokens', 'seal_access_tokens', 'seal_page_tokens')),
            sealed_key BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            retired_at INTEGER
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE consent (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            app_id INTEGER NOT NULL REFERENCES app (id),
            organization_id INTEGER NOT NULL REFERENCES organization (id),
            scopes TEXT NOT NULL,
            granted_by INTEGER NOT NULL REFERENCES person (id),
            granted_at INTEGER NOT NULL,
            revoked_by INTEGER REFERENCES person (id),   -- null if the operator revoked it, or the app was removed
            revoked_at INTEGER
        ) STRICT;
        -- At most one consent of an organization to an app is in force; revoked ones stay as history.
        CREATE UNIQUE INDEX consent_living ON consent (app_id, organization_id) WHERE revoked_at IS NULL;
        CREATE INDEX consent_organization ON consent (organization_id);
        CREATE INDEX consent_granted_by ON consent (granted_by);
        CREATE INDEX consent_revoked_by ON consent (revoked_by);

        -- A validated authorization request, waiting for the person to sign in and decide.
        CREATE TABLE parked_request (
            token_hash BLOB PRIMARY KEY,
            client_id TEXT NOT NULL REFERENCES client (client_id) ON DELETE CASCADE,
            redirect_uri TEXT NOT NULL,
            scopes TEXT NOT NULL,
            state TEXT,
            nonce TEXT,
            response_mode TEXT NOT NULL,
            code_challenge TEXT,
            browser_hash BLOB NOT NULL,                  -- SHA-256 of the cookie of the browser that brought it
            expires_at INTEGER NOT NULL,
            answer TEXT                                  -- 'allowed' or 'denied'; null: not decided yet
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX parked_request_expiry ON parked_request (expires_at);
        CREATE INDEX parked_request_client ON parked_request (client_id);

        -- What one code exchange gave a client under a consent. Tokens refer to it.
        CREATE TABLE access_grant (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            consent_id INTEGER NOT NULL REFERENCES consent (id) ON DELETE CASCADE,
            client_id TEXT NOT NULL REFERENCES client (client_id) ON DELETE CASCADE,
            person_id INTEGER NOT NULL REFERENCES person (id),  -- who consented
            scopes TEXT NOT NULL,
            refresh_token_hash BLOB NOT NULL UNIQUE,
            authenticated_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            revoked_at INTEGER
        ) STRICT;
        CREATE INDEX access_grant_consent ON access_grant (consent_id);
        CREATE INDEX access_grant_client ON access_grant (client_id);
        CREATE INDEX access_grant_person ON access_grant (person_id);

        CREATE TABLE authorization_code (
            code_hash BLOB PRIMARY KEY,
            request_hash BLOB NOT NULL,                  -- the parked request that it answers
            consent_id INTEGER NOT NULL REFERENCES consent (id) ON DELETE CASCADE,
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
        CREATE INDEX authorization_code_client ON authorization_code (client_id);
        CREATE INDEX authorization_code_grant ON authorization_code (grant_id);

        -- Notifications for apps, kept until the app has acknowledged them or they are given up.
        CREATE TABLE notification (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            app_id INTEGER NOT NULL REFERENCES app (id) ON DELETE CASCADE,
            jti TEXT NOT NULL UNIQUE,
            claims TEXT NOT NULL,                        -- JSON, signed anew for each attempt
            created_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            next_attempt_at INTEGER,                     -- null: delivered or given up
            delivered_at INTEGER,
            last_error TEXT
        ) STRICT;
        CREATE INDEX notification_due ON notification (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
        CREATE INDEX notification_app ON notification (app_id);
        """
}
