extension Schema {
    static let lostAnswers = """
        -- SHA-256 of the refresh token that was exchanged for the one of now, and of the key that its client sent with it:
        -- whoever knows both may have the answer again. Null: the client sent none, or nothing was exchanged yet.
        ALTER TABLE access_grant ADD COLUMN last_exchange_hash BLOB;
        """
}
