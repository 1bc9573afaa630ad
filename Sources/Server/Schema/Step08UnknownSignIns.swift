extension Schema {
    static let unknownSignIns = """
        -- Number of sign-in attempts with a user name that is unknown or has no password. Only the last hour with any
        -- is kept.
        CREATE TABLE unknown_sign_in (
            hour INTEGER PRIMARY KEY,                    -- whole hours since 1970
            attempts INTEGER NOT NULL
        ) STRICT;
        """
}
