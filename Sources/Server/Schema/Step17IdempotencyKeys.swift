extension Schema {
    static let idempotencyKeys = """
        -- The token alone is not enough any more: of twenty who come at once with it, one is served.
        ALTER TABLE access_grant DROP COLUMN previous_refresh_token_hash;
        -- SHA-256 of the refresh token that was exchanged for the one of now, and of the key that its client sent with it:
        -- whoever knows both may have the answer again. Null: the client sent none, or nothing was exchanged yet.
        ALTER TABLE access_grant ADD COLUMN last_exchange_hash BLOB;
        """
}
