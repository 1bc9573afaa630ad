extension Schema {
    static let keptNumbers = """
        -- How many people sign in to an app, by their organizations, for apps of so many that counting them takes long.
        CREATE TABLE sign_in_count (
            app_id INTEGER NOT NULL REFERENCES app (id) ON DELETE CASCADE,
            organization_id INTEGER NOT NULL,            -- 0: personal accounts
            number INTEGER NOT NULL,
            counted_at INTEGER NOT NULL,
            PRIMARY KEY (app_id, organization_id)
        ) STRICT, WITHOUT ROWID;

        -- Numbers that stand on pages, of organizations where counting them takes long.
        CREATE TABLE kept_numbers (
            organization_id INTEGER PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
            numbers TEXT NOT NULL,                       -- JSON, see KeptNumbers
            counted_at INTEGER NOT NULL
        ) STRICT;
        """
}
