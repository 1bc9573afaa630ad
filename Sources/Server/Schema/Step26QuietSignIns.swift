extension Schema {
    static let quietSignIns = """
        -- Sign-ins to apps that know the person go on without a page, unless somebody wants each one confirmed.
        ALTER TABLE organization ADD COLUMN asks_every_time INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE app ADD COLUMN asks_every_time INTEGER NOT NULL DEFAULT 0;
        """
}
