extension Schema {
    /// Imports of before kept no records of another source.
    static let undoneSources = """
        ALTER TABLE undo_person ADD COLUMN source TEXT NOT NULL DEFAULT 'csv';
        ALTER TABLE undo_role ADD COLUMN source TEXT NOT NULL DEFAULT 'csv';
        """
}
