extension Schema {
    static let registeredDevices = """
        -- Devices that sign their person in, with a private key that stays on the device.
        CREATE TABLE registered_device (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            public_id TEXT NOT NULL UNIQUE,              -- a UUID; `iss` of the device's assertions
            person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            public_key BLOB NOT NULL,                    -- P-256, uncompressed X9.63, 65 bytes
            thumbprint TEXT NOT NULL,                    -- of that key, RFC 7638
            facts TEXT NOT NULL,                         -- a flat JSON object in which the device describes itself
            registered_at INTEGER NOT NULL,
            used_at INTEGER,                             -- when it last signed the person in
            UNIQUE (person_id, thumbprint)
        ) STRICT;

        -- The code that a person enters on a device to register it; at most one for each person.
        CREATE TABLE device_registration_code (
            person_id INTEGER PRIMARY KEY REFERENCES person (id) ON DELETE CASCADE,
            code_hash BLOB NOT NULL UNIQUE,
            expires_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX device_registration_code_expiry ON device_registration_code (expires_at);

        -- The device that began the session; null: a password did. Removing the device ends its sessions.
        ALTER TABLE browser_session ADD COLUMN device_id INTEGER REFERENCES registered_device (id) ON DELETE CASCADE;
        CREATE INDEX browser_session_device ON browser_session (device_id);

        -- The device that signed the person in. This is no foreign key, so that the id stays when the device is
        -- removed: null would mean that the person signed in with a password. Ids are never reused.
        ALTER TABLE authorization_code ADD COLUMN device_id INTEGER;
        ALTER TABLE access_grant ADD COLUMN device_id INTEGER;
        ALTER TABLE device_authorization ADD COLUMN device_id INTEGER;
        """
}
