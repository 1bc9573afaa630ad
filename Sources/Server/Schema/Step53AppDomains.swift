extension Schema {
    static let appDomains = """
        -- The hosts of an app's web pages. An app without any is at the hosts of its return URLs.
        CREATE TABLE app_domain (
            app_id INTEGER NOT NULL REFERENCES app (id) ON DELETE CASCADE,
            name TEXT NOT NULL,                          -- in lower case, internationalized labels as A-labels
            PRIMARY KEY (app_id, name)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX app_domain_name ON app_domain (name);
        """
}
