extension Schema {
    static let attention = """
        -- For whom a mail is, so that somebody can be told whose address takes none; null: nobody with an account yet.
        ALTER TABLE mail_message ADD COLUMN person_id INTEGER REFERENCES person (id) ON DELETE CASCADE;
        CREATE INDEX mail_message_person ON mail_message (person_id) WHERE person_id IS NOT NULL;
        CREATE INDEX mail_message_given_up ON mail_message (created_at) WHERE next_attempt_at IS NULL;

        -- For lists of people, and for numbers of them.
        CREATE INDEX person_listed ON person (organization_id, id) WHERE deleted_at IS NULL;
        CREATE INDEX person_state ON person (organization_id, state, id);
        CREATE INDEX role_assignment_held ON role_assignment (organization_id, role, person_id);
        CREATE INDEX credential_temporary ON credential (temporary_until, person_id) WHERE temporary_until IS NOT NULL;

        -- What happened on a day, counted from the trail now and then.
        CREATE TABLE activity_day (
            organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
            kind TEXT NOT NULL,                          -- see ActivityDay.Kind
            app_id INTEGER NOT NULL,                     -- 0: of no app
            day TEXT NOT NULL,                           -- YYYY-MM-DD, in UTC
            number INTEGER NOT NULL,
            PRIMARY KEY (organization_id, kind, app_id, day)
        ) STRICT, WITHOUT ROWID;
        -- Up to which entry of its trail that was done.
        CREATE TABLE activity_count (
            organization_id INTEGER PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
            sequence INTEGER NOT NULL
        ) STRICT;

        -- How many people apps can see, in organizations where counting them takes long.
        CREATE TABLE people_count (
            organization_id INTEGER PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
            number INTEGER NOT NULL
        ) STRICT;
        """

    /// Mail that was given up says nothing of the new address of a person.
    static let newAddressesInSQLite = """
        CREATE TRIGGER person_has_new_address AFTER UPDATE OF email ON person WHEN OLD.email IS NOT NEW.email
        BEGIN
            DELETE FROM mail_message WHERE person_id = NEW.id AND next_attempt_at IS NULL;
        END;
        """

    static let newAddressesInPostgreSQL = """
        CREATE FUNCTION forget_given_up_mail() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            DELETE FROM mail_message WHERE person_id = NEW.id AND next_attempt_at IS NULL;
            RETURN NULL;
        END
        $$;
        CREATE TRIGGER person_has_new_address AFTER UPDATE OF email ON person
        FOR EACH ROW WHEN (OLD.email IS DISTINCT FROM NEW.email) EXECUTE FUNCTION forget_given_up_mail();
        """
}
