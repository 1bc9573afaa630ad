extension Schema {
    static let audit = """
        -- Who did what, to whom, from where, with which outcome. The hash of an entry covers the hash of the previous
        -- entry of the same organization (0: the server itself), so that a missing or changed entry is detected.
        CREATE TABLE audit_entry (
            organization_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            at INTEGER NOT NULL,
            actor TEXT NOT NULL,
            action TEXT NOT NULL,
            subject TEXT NOT NULL,
            outcome TEXT NOT NULL,
            detail TEXT NOT NULL,
            origin TEXT NOT NULL,
            hash BLOB NOT NULL,
            PRIMARY KEY (organization_id, sequence)
        ) STRICT, WITHOUT ROWID;
        """
}
