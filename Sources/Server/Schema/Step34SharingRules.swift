extension Schema {
    static let sharingRules = """
        -- What an organization shows an app of its roster. No row: everything.
        CREATE TABLE sharing_rules (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            organization_id INTEGER NOT NULL REFERENCES organization (id),
            app_id INTEGER NOT NULL REFERENCES app (id),
            -- 1: only what the tables below have. A limit with an empty table lets nothing through.
            limits_locations INTEGER NOT NULL,
            limits_grades INTEGER NOT NULL,
            limits_classes INTEGER NOT NULL,
            roles TEXT,                                  -- 'Instructor Student'; null: all
            withheld TEXT NOT NULL,                      -- fields: 'email grade'
            changed_at INTEGER NOT NULL,
            UNIQUE (organization_id, app_id)
        ) STRICT;
        CREATE INDEX sharing_rules_app ON sharing_rules (app_id);

        CREATE TABLE sharing_location (
            rules_id INTEGER NOT NULL REFERENCES sharing_rules (id),
            location_id INTEGER NOT NULL,                -- 0: the organization itself
            PRIMARY KEY (rules_id, location_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE sharing_grade (
            rules_id INTEGER NOT NULL REFERENCES sharing_rules (id),
            grade TEXT NOT NULL,
            PRIMARY KEY (rules_id, grade)
        ) STRICT, WITHOUT ROWID;

        -- When a class is removed, nothing takes its place.
        CREATE TABLE sharing_class (
            rules_id INTEGER NOT NULL REFERENCES sharing_rules (id),
            class_id INTEGER NOT NULL REFERENCES class (id) ON DELETE CASCADE,
            PRIMARY KEY (rules_id, class_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX sharing_class_class ON sharing_class (class_id);

        CREATE TABLE sharing_left_out (
            rules_id INTEGER NOT NULL REFERENCES sharing_rules (id),
            person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
            PRIMARY KEY (rules_id, person_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX sharing_left_out_person ON sharing_left_out (person_id);
        """
}
