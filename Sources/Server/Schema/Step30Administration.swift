extension Schema {
    static let administration = """
        -- Changes of administrators that can be taken back, each with the change that does it.
        CREATE TABLE administration_change (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            organization_id INTEGER NOT NULL,            -- 0: concerns no organization
            at INTEGER NOT NULL,
            actor TEXT NOT NULL,                         -- as in audit_entry
            operation TEXT NOT NULL,
            subject TEXT NOT NULL,                       -- as in audit_entry
            undo_operation TEXT NOT NULL,
            undo_input TEXT NOT NULL,                    -- JSON
            version TEXT,                                -- of the subject after the change; null: it has none
            undone_at INTEGER
        ) STRICT;
        CREATE INDEX administration_change_organization ON administration_change (organization_id, id);

        -- Programs that administrate an organization by themselves.
        CREATE TABLE api_client (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            organization_id INTEGER NOT NULL REFERENCES organization (id),
            client_id TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL,
            secret_hash BLOB NOT NULL,
            privileges TEXT NOT NULL,                    -- separated by spaces
            created_at INTEGER NOT NULL,
            revoked_at INTEGER
        ) STRICT;
        CREATE INDEX api_client_organization ON api_client (organization_id);

        -- Access tokens of programs and of people who administrate from a terminal.
        CREATE TABLE api_token (
            token_hash BLOB NOT NULL PRIMARY KEY,
            api_client_id INTEGER REFERENCES api_client (id),
            person_id INTEGER REFERENCES person (id),
            sign_in_version INTEGER,                     -- of the person, when they allowed it
            privileges TEXT NOT NULL,                    -- separated by spaces
            expires_at INTEGER NOT NULL,
            CHECK ((api_client_id IS NULL) <> (person_id IS NULL)),
            CHECK ((sign_in_version IS NULL) = (person_id IS NULL))
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX api_token_expiry ON api_token (expires_at);
        CREATE INDEX api_token_client ON api_token (api_client_id);
        CREATE INDEX api_token_person ON api_token (person_id);

        -- Terminals that wait until a person allows them to administrate in their name (RFC 8628).
        CREATE TABLE api_sign_in (
            device_hash BLOB NOT NULL PRIMARY KEY,
            user_code TEXT NOT NULL UNIQUE,
            program TEXT NOT NULL,                       -- as the terminal calls itself
            address TEXT NOT NULL,                       -- from which it asks
            address_hash BLOB,
            privileges TEXT NOT NULL,                    -- separated by spaces
            pause INTEGER NOT NULL,
            asked_at INTEGER,
            expires_at INTEGER NOT NULL,
            answer TEXT,                                 -- allowed, denied; null: not yet
            person_id INTEGER REFERENCES person (id),
            sign_in_version INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX api_sign_in_expiry ON api_sign_in (expires_at);

        -- What a change has answered, for whoever asks again with the same key because the answer was lost.
        CREATE TABLE administration_reply (
            caller TEXT NOT NULL,                        -- as in audit_entry
            key_hash BLOB NOT NULL,
            request_hash BLOB NOT NULL,
            reply BLOB NOT NULL,                         -- sealed with the master key
            created_at INTEGER NOT NULL,
            PRIMARY KEY (caller, key_hash)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX administration_reply_age ON administration_reply (created_at);

        -- Changes that take long. Each is one transaction, in which it also ends here.
        CREATE TABLE administration_job (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            public_id TEXT NOT NULL UNIQUE,
            organization_id INTEGER NOT NULL REFERENCES organization (id),
            caller TEXT NOT NULL,                        -- as in audit_entry
            api_client_id INTEGER REFERENCES api_client (id),
            person_id INTEGER REFERENCES person (id),
            sign_in_version INTEGER,
            privileges TEXT NOT NULL,
            origin TEXT NOT NULL,
            operation TEXT NOT NULL,
            input BLOB NOT NULL,                         -- sealed; empty once it has ended
            version TEXT,                                -- that the caller has seen
            attempts INTEGER NOT NULL DEFAULT 0,
            leased_until INTEGER,                        -- null: nobody works on it
            done_count INTEGER NOT NULL DEFAULT 0,
            total_count INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL,
            ended_at INTEGER,
            reply BLOB,                                  -- sealed; null: it has not ended, or was fetched
            failure TEXT,                                -- JSON
            CHECK ((api_client_id IS NULL) <> (person_id IS NULL))
        ) STRICT;
        CREATE INDEX administration_job_organization ON administration_job (organization_id, id);
        CREATE INDEX administration_job_waiting ON administration_job (id) WHERE ended_at IS NULL;
        """
}
