extension Schema {
    static let requestedClaims = """
        -- Single claims that a client requests besides its scopes, written as `id_token:email userinfo:name`.
        ALTER TABLE parked_request ADD COLUMN claims TEXT NOT NULL DEFAULT '';
        ALTER TABLE authorization_code ADD COLUMN claims TEXT NOT NULL DEFAULT '';
        ALTER TABLE access_grant ADD COLUMN claims TEXT NOT NULL DEFAULT '';
        -- Whether a session that a device began is not enough, so that the person has to enter the password.
        ALTER TABLE parked_request ADD COLUMN needs_password INTEGER NOT NULL DEFAULT 0;

        -- The organization of an account now needs a scope of its own. Existing grants get it, since they included it
        -- before.
        UPDATE access_grant SET scopes = scopes || ' organization' WHERE profile = 'standard';

        -- The language that the person has chosen on the pages, as a BCP 47 tag; null: none yet.
        ALTER TABLE person ADD COLUMN language TEXT;
        """
}
