extension Schema {
    static let quietSignIns = """
        -- Signing in again to an app shows no page, unless the organization or the app wants each sign-in confirmed.
        ALTER TABLE organization ADD COLUMN asks_every_time INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE app ADD COLUMN asks_every_time INTEGER NOT NULL DEFAULT 0;
        """
}
