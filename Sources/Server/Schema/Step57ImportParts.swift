extension Schema {
    static let importParts = """
        -- In a table without row ids, SQLite reads large rows as a whole to compare their keys, so that finding the small
        -- parts of an import took as long as reading the large ones. With row ids, the keys have an index of their own.
        ALTER TABLE import_files_part RENAME TO import_files_part_before;
        CREATE TABLE import_files_part (
            files_id INTEGER NOT NULL REFERENCES import_files (id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            sealed BLOB NOT NULL,
            PRIMARY KEY (files_id, number)
        ) STRICT;
        INSERT INTO import_files_part (files_id, number, sealed)
            SELECT files_id, number, sealed FROM import_files_part_before;
        DROP TABLE import_files_part_before;
        """
}
