extension Schema {
    static let formerRecords = """
        -- User names that people had before. Until the time is over nobody else gets them.
        CREATE TABLE former_user_name (
            user_name TEXT NOT NULL PRIMARY KEY,         -- lower case
            person_id INTEGER NOT NULL REFERENCES person (id),
            kept_until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX former_user_name_person ON former_user_name (person_id);
        CREATE INDEX former_user_name_expiry ON former_user_name (kept_until);

        -- Records that were given up for another one of the same person.
        CREATE TABLE person_merge (
            merged_id INTEGER NOT NULL PRIMARY KEY REFERENCES person (id),
            kept_id INTEGER NOT NULL REFERENCES person (id),
            merged_at INTEGER NOT NULL,
            moved TEXT NOT NULL                          -- JSON: what the kept one got, so that it can be given back
        ) STRICT;
        CREATE INDEX person_merge_kept ON person_merge (kept_id);
        """
}
