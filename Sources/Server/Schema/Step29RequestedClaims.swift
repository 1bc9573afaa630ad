extension Schema {
    static let requestedClaims = """
        -- Single claims that a client asks for beside its scopes, as `id_token:email userinfo:name`.
        ALTER TABLE parked_request ADD COLUMN claims TEXT NOT NULL DEFAULT '';
        ALTER TABLE authorization_code ADD COLUMN claims TEXT NOT NULL DEFAULT '';
        ALTER TABLE access_grant ADD COLUMN claims TEXT NOT NULL DEFAULT '';
        -- A session that a device began does not count.
        ALTER TABLE parked_request ADD COLUMN needs_password INTEGER NOT NULL DEFAULT 0;

        -- The organization of an account has a scope of its own now. Whoever has been told it goes on to be.
        UPDATE access_grant SET scopes = scopes || ' organization' WHERE profile = 'standard';

        -- The language that the person has chosen on the pages, a BCP 47 tag; null: none yet.
        ALTER TABLE person ADD COLUMN language TEXT;
        """
}
