extension Schema {
    static let pictures = """
        -- PNG files, see Picture. A page names one by its id, which changes with it, so that browsers keep it for good.
        ALTER TABLE organization ADD COLUMN picture_id TEXT;    -- null: initials
        ALTER TABLE organization ADD COLUMN picture BLOB;
        CREATE INDEX organization_picture ON organization (picture_id) WHERE picture_id IS NOT NULL;

        ALTER TABLE app ADD COLUMN icon_id TEXT;                -- null: initials
        ALTER TABLE app ADD COLUMN icon BLOB;
        CREATE INDEX app_icon ON app (icon_id) WHERE icon_id IS NOT NULL;
        -- What the app is called in other languages: a JSON object of names by the tag of the language; null: everywhere the same.
        ALTER TABLE app ADD COLUMN localized_names TEXT;

        -- How many classes apps can see, in organizations where counting them takes long.
        CREATE TABLE class_count (
            organization_id INTEGER PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
            number INTEGER NOT NULL
        ) STRICT;
        """
}
