extension Schema {
    static let sharingCounts = """
        -- How many people and classes an app sees through the rules of an organization where counting them takes long.
        CREATE TABLE sharing_count (
            rules_id INTEGER PRIMARY KEY REFERENCES sharing_rules (id) ON DELETE CASCADE,
            people INTEGER NOT NULL,
            classes INTEGER NOT NULL,
            counted_at INTEGER NOT NULL
        ) STRICT;
        """
}
