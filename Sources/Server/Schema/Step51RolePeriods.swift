extension Schema {
    static let rolePeriods = """
        -- When the first day of a role begins where days begin first, and when its last day is over everywhere, see RolePeriod. Null:
        -- without beginning, or without end. Only roles given by hand have them.
        ALTER TABLE role_assignment ADD COLUMN begins_at INTEGER;
        ALTER TABLE role_assignment ADD COLUMN ends_at INTEGER;
        CREATE INDEX role_assignment_ending ON role_assignment (organization_id, ends_at) WHERE ends_at IS NOT NULL;
        """
}
