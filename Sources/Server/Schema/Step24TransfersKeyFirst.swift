extension Schema {
    /// SQLite 3.40 reads the columns of a table WITHOUT ROWID in a wrong order when it looks for damage, unless those of
    /// the primary key come first, in its order: `PRAGMA quick_check` then tells of NULLs that are not there.
    static let transfersKeyFirst = """
        CREATE TABLE app_transfer_key_first (
            app_id INTEGER NOT NULL REFERENCES app (id) ON DELETE CASCADE,
            accepted_at INTEGER NOT NULL,
            from_team_id INTEGER NOT NULL REFERENCES team (id),
            to_team_id INTEGER NOT NULL REFERENCES team (id),
            PRIMARY KEY (app_id, accepted_at)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO app_transfer_key_first (app_id, accepted_at, from_team_id, to_team_id)
        SELECT app_id, accepted_at, from_team_id, to_team_id FROM app_transfer;
        DROP TABLE app_transfer;
        ALTER TABLE app_transfer_key_first RENAME TO app_transfer;
        CREATE INDEX app_transfer_from ON app_transfer (from_team_id);
        CREATE INDEX app_transfer_to ON app_transfer (to_team_id);
        """
}
