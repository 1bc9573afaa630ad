extension Schema {
    /// Few of those who belong to a location are no pupils, so that the index is small and imports hardly notice it.
    static let locationStaff = """
        CREATE INDEX role_assignment_staff_at ON role_assignment (location_id, role) WHERE role <> 'student';
        """
}
