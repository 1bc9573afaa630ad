extension Schema {
    static let mail = """
        -- Mails that a mail server has not accepted yet. Delivered ones are deleted, because they contain codes; in
        -- those that were given up, address and text are blank.
        CREATE TABLE mail_message (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            message_id TEXT NOT NULL UNIQUE,
            recipient TEXT NOT NULL,
            subject TEXT NOT NULL,
            body TEXT NOT NULL,
            language TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER,                          -- not sent after this time; null: no limit
            attempts INTEGER NOT NULL DEFAULT 0,
            next_attempt_at INTEGER,                     -- null: given up
            last_error TEXT
        ) STRICT;
        CREATE INDEX mail_message_due ON mail_message (next_attempt_at) WHERE next_attempt_at IS NOT NULL;

        -- Addresses that people give to the apps of one team instead of their own. A row stays when its person or team
        -- is deleted, so that the address is never assigned again.
        CREATE TABLE hidden_address (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            address TEXT NOT NULL UNIQUE,                -- lower case
            team_id INTEGER REFERENCES team (id) ON DELETE SET NULL,
            person_id INTEGER REFERENCES person (id) ON DELETE SET NULL,
            forwards INTEGER NOT NULL DEFAULT 1,
            created_at INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,                 -- when forwarding was last turned on or off
            UNIQUE (team_id, person_id)
        ) STRICT;
        CREATE INDEX hidden_address_person ON hidden_address (person_id);

        -- Who may write to the hidden addresses of a team.
        CREATE TABLE relay_sender (
            team_id INTEGER NOT NULL REFERENCES team (id) ON DELETE CASCADE,
            name TEXT NOT NULL,                          -- a domain name, or an address; lower case
            created_at INTEGER NOT NULL,
            PRIMARY KEY (team_id, name)
        ) STRICT, WITHOUT ROWID;

        -- Addresses that replace an app's own address in mail to a person, so that replies go through the relay.
        CREATE TABLE reply_address (
            address TEXT PRIMARY KEY,                    -- lower case
            hidden_address_id INTEGER NOT NULL REFERENCES hidden_address (id) ON DELETE CASCADE,
            sender TEXT NOT NULL,                        -- the address of the app
            created_at INTEGER NOT NULL,
            used_at INTEGER NOT NULL,                    -- day of the last mail in either direction
            UNIQUE (hidden_address_id, sender)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX reply_address_used ON reply_address (used_at);
        """
}
