extension Schema {
    static let lostAnswers = """
        -- SHA-256 of the refresh token that was exchanged for the one of now: until that is shown, whoever did not get the
        -- answer may come again with the one before.
        ALTER TABLE access_grant ADD COLUMN previous_refresh_token_hash BLOB;
        """
}
