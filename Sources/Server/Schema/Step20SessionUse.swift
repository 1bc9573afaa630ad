extension Schema {
    static let sessionUse = """
        -- A session that is not used until this time ends. Existing sessions keep their former end.
        ALTER TABLE browser_session ADD COLUMN idle_until INTEGER NOT NULL DEFAULT 0;
        UPDATE browser_session SET idle_until = expires_at;
        """
}
