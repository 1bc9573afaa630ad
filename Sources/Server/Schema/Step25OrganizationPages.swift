extension Schema {
    /// An organization's colour, and a way to the last read of each app that is connected to it.
    static let organizationPages = """
        -- A word of Organization.Colour. Null: the colour follows from the id.
        ALTER TABLE organization ADD COLUMN colour TEXT;
        -- When an app read last: without it, the whole trail has to be walked for an app that never did.
        CREATE INDEX audit_roster_read ON audit_entry (organization_id, actor, sequence) WHERE action = 'roster.read';
        """
}
