extension Schema {
    /// The default is right for the rows that exist: until now imports saved only records with the source 'csv'.
    static let undoneSources = """
        ALTER TABLE undo_person ADD COLUMN source TEXT NOT NULL DEFAULT 'csv';
        ALTER TABLE undo_role ADD COLUMN source TEXT NOT NULL DEFAULT 'csv';
        """
}
