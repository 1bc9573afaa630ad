extension Schema {
    static let signingAlgorithms = """
        -- RS256 or ES256: the algorithm with which identity tokens for a client are signed, and the algorithm of a key.
        -- A server that starts makes the first key of each.
        ALTER TABLE client ADD COLUMN signing_algorithm TEXT NOT NULL DEFAULT 'RS256';
        ALTER TABLE server_key ADD COLUMN algorithm TEXT NOT NULL DEFAULT 'RS256';
        """
}
