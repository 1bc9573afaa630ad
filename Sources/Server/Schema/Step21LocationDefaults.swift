extension Schema {
    /// What apps see of locations that have none of their own.
    static let locationDefaults = """
        ALTER TABLE organization ADD COLUMN location_domain TEXT;
        ALTER TABLE organization ADD COLUMN location_time_zone TEXT;  -- IANA name
        """
}
