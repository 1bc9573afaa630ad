extension Schema {
    static let tighterSignIn = """
        -- SHA-256 of the network address (IPv6: the /64) of the device. Pending authorizations from one address are
        -- limited.
        ALTER TABLE device_authorization ADD COLUMN address_hash BLOB;
        CREATE INDEX device_authorization_address ON device_authorization (address_hash, expires_at);

        -- The only person who may answer the request, from the app's hint; null: anyone.
        ALTER TABLE parked_request ADD COLUMN person_id INTEGER REFERENCES person (id);

        -- Client assertions that were used, kept until they have expired, so that none is accepted twice.
        CREATE TABLE used_assertion (
            assertion_hash BLOB PRIMARY KEY,             -- SHA-256 of the client and the assertion's `jti`
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX used_assertion_expiry ON used_assertion (expires_at);

        -- The version of the rule for which people have been signed out of the apps that it no longer allows. That now
        -- happens one by one after the change. For earlier changes it was done in the same transaction.
        ALTER TABLE access_rule ADD COLUMN applied_version INTEGER NOT NULL DEFAULT 0;
        UPDATE access_rule SET applied_version = version;
        """
}
