extension Schema {
    static let idempotencyKeys = """
        -- The previous token alone is no longer enough: of several requests with it at the same time, one is answered.
        ALTER TABLE access_grant DROP COLUMN previous_refresh_token_hash;
        -- SHA-256 of the refresh token that was exchanged for the current one, together with the idempotency key that
        -- the client sent. Who sends both again gets the answer again. Null: the client sent no key, or nothing was
        -- exchanged yet.
        ALTER TABLE access_grant ADD COLUMN last_exchange_hash BLOB;
        """
}
