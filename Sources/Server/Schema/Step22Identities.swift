extension Schema {
    static let identities = """
        -- An import needs approval if it gives more person ids than this to what looks like different people.
        ALTER TABLE import_threshold ADD COLUMN replaced_max INTEGER NOT NULL DEFAULT 0 CHECK (replaced_max >= 0);
        -- An import needs approval if it gives more than this share of the people a clearly different name.
        ALTER TABLE import_threshold ADD COLUMN renamed_percent INTEGER NOT NULL DEFAULT 1
            CHECK (renamed_percent BETWEEN 0 AND 100);
        ALTER TABLE undo_person ADD COLUMN source_id TEXT;  -- if the import gave it to a new person; null otherwise
        """
}
