extension Schema {
    /// An index that says who holds which role at a location, in place of one that left the role to be looked up at each
    /// person, and of one for all roles but a pupil's.
    static let locationRoles = """
        DROP INDEX role_assignment_location;
        DROP INDEX role_assignment_staff_at;
        CREATE INDEX role_assignment_at_location ON role_assignment (location_id, role);
        """
}
