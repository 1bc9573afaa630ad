extension Schema {
    static let sessionUse = """
        -- A session is over when nobody has used it for a while. Those of before have as long as they had.
        ALTER TABLE browser_session ADD COLUMN idle_until INTEGER NOT NULL DEFAULT 0;
        UPDATE browser_session SET idle_until = expires_at;
        """
}
