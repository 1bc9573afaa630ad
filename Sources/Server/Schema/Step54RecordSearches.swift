extension Schema {
    /// Records that are not in their index as they are now. Those of before are all of them.
    static let unindexedClassesAndLocations = searchedRecords.map(\.unindexed).joined(separator: "\n")

    static let recordSearchesInSQLite = searchedRecords.map(\.inSQLite).joined(separator: "\n")

    static let recordSearchesInPostgreSQL = searchedRecords.map(\.inPostgreSQL).joined(separator: "\n")

    private static let searchedRecords = [
        SearchedRecords(table: "class", columns: ["name", "display_name", "number", "source_id"]),
        SearchedRecords(table: "location", columns: ["name", "source_id", "domain_name"]),
    ]
}

/// The index of the search for records of a kind, made as that for people in step 43.
private struct SearchedRecords {
    let table: String
    /// The columns that a search looks into.
    let columns: [String]

    var unindexed: String {
        """
        -- Records that were added, renamed or deleted since the index of the search was brought up to date. Triggers fill
        -- it: SQLite lets none of them write the index itself, and a virtual table has no foreign keys.
        CREATE TABLE \(table)_unindexed (\(table)_id INTEGER PRIMARY KEY) STRICT;
        INSERT INTO \(table)_unindexed (\(table)_id) SELECT id FROM \(table);
        """
    }

    var inSQLite: String {
        """
        CREATE VIRTUAL TABLE \(table)_search USING fts5 (words, detail = none, tokenize = 'trigram');

        CREATE TRIGGER \(table)_is_new AFTER INSERT ON \(table)
        BEGIN
            INSERT INTO \(table)_unindexed (\(table)_id) VALUES (NEW.id) ON CONFLICT (\(table)_id) DO NOTHING;
        END;

        CREATE TRIGGER \(table)_is_renamed AFTER UPDATE OF \(columns.joined(separator: ", ")) ON \(table)
        WHEN (\(searched("OLD"))) IS NOT (\(searched("NEW")))
        BEGIN
            INSERT INTO \(table)_unindexed (\(table)_id) VALUES (NEW.id) ON CONFLICT (\(table)_id) DO NOTHING;
        END;

        CREATE TRIGGER \(table)_is_gone AFTER DELETE ON \(table)
        BEGIN
            INSERT INTO \(table)_unindexed (\(table)_id) VALUES (OLD.id) ON CONFLICT (\(table)_id) DO NOTHING;
        END;
        """
    }

    var inPostgreSQL: String {
        """
        CREATE TABLE \(table)_search (rowid BIGINT PRIMARY KEY, words TEXT NOT NULL);

        DO $$
        BEGIN
            CREATE EXTENSION IF NOT EXISTS pg_trgm;
            CREATE INDEX \(table)_search_words ON \(table)_search USING gin (words gin_trgm_ops);
        EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
            RAISE NOTICE 'searches read the names of each \(table), because the extension pg_trgm is not there';
        END
        $$;

        CREATE FUNCTION note_unindexed_\(table)() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO \(table)_unindexed (\(table)_id) SELECT id FROM noted
            ON CONFLICT (\(table)_id) DO UPDATE SET \(table)_id = EXCLUDED.\(table)_id;
            RETURN NULL;
        END
        $$;
        CREATE TRIGGER \(table)_is_new AFTER INSERT ON \(table) REFERENCING NEW TABLE AS noted
        FOR EACH STATEMENT EXECUTE FUNCTION note_unindexed_\(table)();
        CREATE TRIGGER \(table)_is_gone AFTER DELETE ON \(table) REFERENCING OLD TABLE AS noted
        FOR EACH STATEMENT EXECUTE FUNCTION note_unindexed_\(table)();

        CREATE FUNCTION note_renamed_\(table)() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO \(table)_unindexed (\(table)_id) VALUES (NEW.id)
            ON CONFLICT (\(table)_id) DO UPDATE SET \(table)_id = EXCLUDED.\(table)_id;
            RETURN NULL;
        END
        $$;
        CREATE TRIGGER \(table)_is_renamed AFTER UPDATE OF \(columns.joined(separator: ", ")) ON \(table)
        FOR EACH ROW WHEN ((\(searched("OLD"))) IS DISTINCT FROM (\(searched("NEW"))))
        EXECUTE FUNCTION note_renamed_\(table)();
        """
    }

    private func searched(_ row: String) -> String { columns.map { "\(row).\($0)" }.joined(separator: ", ") }
}
