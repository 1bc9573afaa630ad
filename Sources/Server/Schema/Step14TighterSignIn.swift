extension Schema {
    static let tighterSignIn = """
        -- SHA-256 of the address, or the /64 in IPv6, of the device: each holds a bounded number that wait.
        ALTER TABLE device_authorization ADD COLUMN address_hash BLOB;
        CREATE INDEX device_authorization_address ON device_authorization (address_hash, expires_at);

        -- The one person who may answer, as the app has hinted; null: whoever it is.
        ALTER TABLE parked_request ADD COLUMN person_id INTEGER REFERENCES person (id);

        -- What clients have proved themselves by, kept until it would be too old anyhow.
        CREATE TABLE used_assertion (
            assertion_hash BLOB PRIMARY KEY,             -- SHA-256 of the client and the assertion's `jti`
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX used_assertion_expiry ON used_assertion (expires_at);

        -- Up to which version of the rule those people were signed out whose apps it keeps out: one by one, after the
        -- change itself. What was changed before was one transaction.
        ALTER TABLE access_rule ADD COLUMN applied_version INTEGER NOT NULL DEFAULT 0;
        UPDATE access_rule SET applied_version = version;
        """
}
