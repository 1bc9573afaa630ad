extension Schema {
    static let houseRules = """
        -- What an organization decides about the sign-ins and letters of its people, see HouseRules. Null: as the server has it.
        ALTER TABLE organization ADD COLUMN session_hours INTEGER;
        ALTER TABLE organization ADD COLUMN idle_minutes INTEGER;
        ALTER TABLE organization ADD COLUMN language TEXT;
        ALTER TABLE organization ADD COLUMN terms_url TEXT;

        -- The rule under which the browser signed in; null: as the server has it.
        ALTER TABLE browser_session ADD COLUMN idle_minutes INTEGER;
        """
}
