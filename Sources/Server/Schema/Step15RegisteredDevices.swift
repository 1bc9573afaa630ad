extension Schema {
    static let registeredDevices = """
        -- A device that signs its person in, with a key that never leaves it.
        CREATE TABLE registered_device (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            public_id TEXT NOT NULL UNIQUE,              -- a UUID: `iss` of what the device signs
            person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            public_key BLOB NOT NULL,                    -- P-256, X9.63 without compression: 65 bytes
            thumbprint TEXT NOT NULL,                    -- of that key, RFC 7638
            facts TEXT NOT NULL,                         -- what the device says of itself, a flat JSON object
            registered_at INTEGER NOT NULL,
            used_at INTEGER,                             -- when it signed the person in last
            UNIQUE (person_id, thumbprint)
        ) STRICT;

        -- The code that a person enters on a device to register it: one a person.
        CREATE TABLE device_registration_code (
            person_id INTEGER PRIMARY KEY REFERENCES person (id) ON DELETE CASCADE,
            code_hash BLOB NOT NULL UNIQUE,
            expires_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX device_registration_code_expiry ON device_registration_code (expires_at);

        -- The device that began the session; null: a password did. Who removes the device ends its sessions.
        ALTER TABLE browser_session ADD COLUMN device_id INTEGER REFERENCES registered_device (id) ON DELETE CASCADE;
        CREATE INDEX browser_session_device ON browser_session (device_id);

        -- The device behind what an app got. No foreign key: what is left of a removed device must not be taken for a
        -- password's, and ids are not given again.
        ALTER TABLE authorization_code ADD COLUMN device_id INTEGER;
        ALTER TABLE access_grant ADD COLUMN device_id INTEGER;
        ALTER TABLE device_authorization ADD COLUMN device_id INTEGER;
        """
}
