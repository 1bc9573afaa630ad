extension Schema {
    static let signingAlgorithms = """
        -- With which keys identity tokens for a client are signed, and of which kind a key is: RS256 or ES256. The first key
        -- of a kind is made when a server starts.
        ALTER TABLE client ADD COLUMN signing_algorithm TEXT NOT NULL DEFAULT 'RS256';
        ALTER TABLE server_key ADD COLUMN algorithm TEXT NOT NULL DEFAULT 'RS256';
        """
}
