extension Schema {
    static let apps = """
        CREATE TABLE team (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            public_id TEXT NOT NULL UNIQUE,              -- 10 characters; `iss` of client secrets
            name TEXT NOT NULL,
            sealed_identifier_key BLOB NOT NULL,         -- the key from which the team's pairwise ids are derived
            created_at INTEGER NOT NULL
        ) STRICT;

        -- People who may consent for the team when its app requests the test scope.
        CREATE TABLE team_member (
            team_id INTEGER NOT NULL REFERENCES team (id) ON DELETE CASCADE,
            person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
            PRIMARY KEY (team_id, person_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX team_member_person ON team_member (person_id);

        CREATE TABLE team_key (
            key_id TEXT PRIMARY KEY,                     -- 10 characters; `kid` of client secrets
            team_id INTEGER NOT NULL REFERENCES team (id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            public_key TEXT NOT NULL,                    -- PEM, P-256
            created_at INTEGER NOT NULL,
            revoked_at INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX team_key_team ON team_key (team_id);

        -- A primary app with the client ids grouped under it: consent is asked once for the group.
        CREATE TABLE app (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            team_id INTEGER NOT NULL REFERENCES team (id),
            name TEXT NOT NULL,
            scopes TEXT NOT NULL,                        -- that it may request, separated by spaces
            notification_url TEXT,
            created_at INTEGER NOT NULL,
            removed_at INTEGER
        ) STRICT;
        CREATE INDEX app_team ON app (team_id);

        CREATE TABLE client (
            client_id TEXT PRIMARY KEY,                  -- App ID or Services ID, without the team id; case matters
            app_id INTEGER NOT NULL REFERENCES app (id) ON DELETE CASCADE,
            is_primary INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX client_app ON client (app_id);

        CREATE TABLE return_url (
            app_id INTEGER NOT NULL REFERENCES app (id) ON DELETE CASCADE,
            url TEXT NOT NULL,
            PRIMARY KEY (app_id, url)
        ) STRICT, WITHOUT ROWID;

        -- Which apps an organization allows. Without a row the default of the purpose applies.
        CREATE TABLE access_rule (
            organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
            purpose TEXT NOT NULL CHECK (purpose IN ('data_sharing')),
            mode TEXT NOT NULL CHECK (mode IN ('allow_all_apps', 'allow_only_listed_apps')),
            version INTEGER NOT NULL,                    -- counts the changes; logged with each refusal
            PRIMARY KEY (organization_id, purpose)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE access_rule_app (
            organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
            purpose TEXT NOT NULL,
            app_id INTEGER NOT NULL REFERENCES app (id) ON DELETE CASCADE,
            PRIMARY KEY (organization_id, purpose, app_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX access_rule_app_app ON access_rule_app (app_id);
        """
}
