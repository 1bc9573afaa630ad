extension Schema {
    static let refreshTokenUse = """
        -- Day on which the grant's refresh token was last used; null: it has no refresh token.
        ALTER TABLE access_grant ADD COLUMN used_at INTEGER;
        """

    /// It is unknown when existing grants were last used, so they count as used now.
    static let refreshTokenUseInSQLite = """
        UPDATE access_grant SET used_at = CAST(strftime('%s', 'now') AS INTEGER) WHERE refresh_token_hash IS NOT NULL;
        """

    static let refreshTokenUseInPostgreSQL = """
        UPDATE access_grant SET used_at = CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) AS BIGINT)
        WHERE refresh_token_hash IS NOT NULL;
        """

    static let refreshTokenAges = """
        CREATE INDEX access_grant_use ON access_grant (used_at) WHERE sign_in_consent_id IS NOT NULL;
        CREATE INDEX access_grant_age ON access_grant (created_at) WHERE sign_in_consent_id IS NOT NULL;
        """
}
