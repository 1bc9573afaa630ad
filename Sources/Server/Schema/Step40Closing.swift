extension Schema {
    static let closing = """
        -- An organization that has ended: nobody of it signs in, and nothing of it is changed. From the day on its people
        -- and all that it has are erased, unless it is opened again before.
        ALTER TABLE organization ADD COLUMN closed_at INTEGER;
        ALTER TABLE organization ADD COLUMN erases_on TEXT;      -- such as 2027-08-30; null: it is not closed
        ALTER TABLE organization ADD COLUMN erased_at INTEGER;   -- when nothing was left but what has to stay
        -- The last day on which all was erased that no legal hold covered. It is looked at again on the next one.
        ALTER TABLE organization ADD COLUMN swept_on TEXT;
        """
}
