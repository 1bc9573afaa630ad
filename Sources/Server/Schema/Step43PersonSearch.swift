extension Schema {
    /// People who are not in the index as they are now. Those of before are all of them.
    static let unindexedPeople = """
        -- People who were added or renamed since the index of the search was brought up to date. Triggers fill it, so that
        -- no code that writes people can forget to.
        CREATE TABLE person_unindexed (
            person_id INTEGER PRIMARY KEY REFERENCES person (id) ON DELETE CASCADE
        ) STRICT;
        INSERT INTO person_unindexed (person_id) SELECT id FROM person WHERE deleted_at IS NULL;
        """

    /// `rowid` is the number of the person, `words` what Search makes of the record.
    static let personSearchInSQLite = """
        CREATE VIRTUAL TABLE person_search USING fts5 (words, detail = none, tokenize = 'trigram');

        CREATE TRIGGER person_is_new AFTER INSERT ON person
        BEGIN
            INSERT INTO person_unindexed (person_id) VALUES (NEW.id) ON CONFLICT (person_id) DO NOTHING;
        END;

        CREATE TRIGGER person_is_renamed AFTER UPDATE OF \(searchedColumns) ON person
        WHEN (\(searched("OLD"))) IS NOT (\(searched("NEW")))
        BEGIN
            INSERT INTO person_unindexed (person_id) VALUES (NEW.id) ON CONFLICT (person_id) DO NOTHING;
        END;
        """

    /// The index over the texts needs an extension that comes with PostgreSQL, but not every role may create it. Without
    /// it a search reads the texts of all people, and finds the same.
    ///
    /// A person who waits already is written once more: if the index is brought up to date at the same time, one of both
    /// transactions is repeated, and the new name is not lost.
    static let personSearchInPostgreSQL = """
        CREATE TABLE person_search (rowid BIGINT PRIMARY KEY, words TEXT NOT NULL);

        DO $$
        BEGIN
            CREATE EXTENSION IF NOT EXISTS pg_trgm;
            CREATE INDEX person_search_words ON person_search USING gin (words gin_trgm_ops);
        EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
            RAISE NOTICE 'searches read the names of all people, because the extension pg_trgm is not there';
        END
        $$;

        CREATE FUNCTION note_new_people() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO person_unindexed (person_id) SELECT id FROM added
            ON CONFLICT (person_id) DO UPDATE SET person_id = EXCLUDED.person_id;
            RETURN NULL;
        END
        $$;
        CREATE TRIGGER person_is_new AFTER INSERT ON person REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION note_new_people();

        CREATE FUNCTION note_renamed_person() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO person_unindexed (person_id) VALUES (NEW.id)
            ON CONFLICT (person_id) DO UPDATE SET person_id = EXCLUDED.person_id;
            RETURN NULL;
        END
        $$;
        CREATE TRIGGER person_is_renamed AFTER UPDATE OF \(searchedColumns) ON person
        FOR EACH ROW WHEN ((\(searched("OLD"))) IS DISTINCT FROM (\(searched("NEW"))))
        EXECUTE FUNCTION note_renamed_person();
        """

    private static let searchedNames = [
        "given_name", "middle_name", "family_name", "user_name", "email", "source_id", "person_number",
    ]

    private static let searchedColumns = searchedNames.joined(separator: ", ")

    private static func searched(_ row: String) -> String {
        searchedNames.map { "\(row).\($0)" }.joined(separator: ", ")
    }
}
