extension Schema {
    static let unknownSignIns = """
        -- Sign-ins with a user name that is unknown or has no password. Only the last hour that had any is kept.
        CREATE TABLE unknown_sign_in (
            hour INTEGER PRIMARY KEY,                    -- whole hours since 1970
            attempts INTEGER NOT NULL
        ) STRICT;
        """
}
