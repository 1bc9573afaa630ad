extension Schema {
    static let identities = """
        -- How many person ids may pass to what looks like other people without approval.
        ALTER TABLE import_threshold ADD COLUMN replaced_max INTEGER NOT NULL DEFAULT 0 CHECK (replaced_max >= 0);
        -- Of the people, who may get names unlike theirs without approval.
        ALTER TABLE import_threshold ADD COLUMN renamed_percent INTEGER NOT NULL DEFAULT 1
            CHECK (renamed_percent BETWEEN 0 AND 100);
        ALTER TABLE undo_person ADD COLUMN source_id TEXT;  -- that passed to a new person; null otherwise
        """
}
