extension Schema {
    static let audit = """
        -- Who did what, on whom, from where, with which outcome. Each entry carries the hash of the one
        -- before it in its organization (0: the server itself), so that a gap or a change shows.
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
