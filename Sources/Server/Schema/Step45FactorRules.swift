extension Schema {
    static let factorRules = """
        -- Who has to have a second factor, separated by spaces, such as 'administrator team_member'; empty: nobody.
        ALTER TABLE organization ADD COLUMN factor_holders TEXT NOT NULL DEFAULT '';
        ALTER TABLE organization ADD COLUMN factor_grace_days INTEGER NOT NULL DEFAULT 14;
        -- Since when somebody more has to, from which the days are counted; null: nobody has to.
        ALTER TABLE organization ADD COLUMN factors_since INTEGER;
        """
}
