extension Schema {
    static let lostAnswers = """
        -- SHA-256 of the refresh token that was exchanged for the current one. Until the current one is used, a client
        -- that did not receive it may repeat the exchange with the previous one.
        ALTER TABLE access_grant ADD COLUMN previous_refresh_token_hash BLOB;
        """
}
