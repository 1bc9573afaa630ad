extension Schema {
    static let classCounts = """
        DROP INDEX class_term;
        CREATE INDEX class_term ON class (term_id, archived_at);
        DROP INDEX class_location;
        CREATE INDEX class_location ON class (location_id, archived_at);
        """
}
