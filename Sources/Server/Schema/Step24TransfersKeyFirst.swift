extension Schema {
    /// In a table WITHOUT ROWID, `PRAGMA quick_check` of SQLite 3.40 mixes up the columns and reports NULLs that are
    /// not there, unless the columns of the primary key come first and in its order.
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
