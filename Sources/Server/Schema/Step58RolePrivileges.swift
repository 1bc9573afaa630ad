extension Schema {
    static let rolePrivileges = """
        -- What an organization has changed of the privileges of a role, as names with spaces between them. A role that has
        -- no row here has its usual privileges.
        CREATE TABLE role_privileges (
            organization_id INTEGER NOT NULL REFERENCES organization (id),
            role TEXT NOT NULL,
            given TEXT NOT NULL,
            taken TEXT NOT NULL,
            PRIMARY KEY (organization_id, role)
        ) STRICT;
        """
}
