extension Schema {
    static let organizationPages = """
        -- A case of `Organization.Colour`; null: the colour is chosen by the id.
        ALTER TABLE organization ADD COLUMN colour TEXT;
        -- For finding when an app last read the roster. Without it that would scan the whole trail for an app that
        -- never did.
        CREATE INDEX audit_roster_read ON audit_entry (organization_id, actor, sequence) WHERE action = 'roster.read';
        """
}
