extension Schema {
    /// The domain and time zone that apps see for locations that have none of their own.
    static let locationDefaults = """
        ALTER TABLE organization ADD COLUMN location_domain TEXT;
        ALTER TABLE organization ADD COLUMN location_time_zone TEXT;  -- IANA name
        """
}
