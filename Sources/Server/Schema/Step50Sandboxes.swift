extension Schema {
    static let sandboxes = """
        -- Organizations in which teams of app developers try their apps, see Sandbox: whose it is, and the domain that all its
        -- user names have. Both are null for every other organization.
        ALTER TABLE organization ADD COLUMN sandbox_team_id INTEGER REFERENCES team;
        ALTER TABLE organization ADD COLUMN sandbox_domain TEXT;
        CREATE UNIQUE INDEX organization_sandbox_team ON organization (sandbox_team_id) WHERE closed_at IS NULL;
        """
}
