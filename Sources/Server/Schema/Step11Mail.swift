extension Schema {
    static let mail = """
        -- Mails that a mail server has not taken yet. Delivered ones are deleted, since they hold codes; of those that
        -- were given up, address and text are blank.
        CREATE TABLE mail_message (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            message_id TEXT NOT NULL UNIQUE,
            recipient TEXT NOT NULL,
            subject TEXT NOT NULL,
            body TEXT NOT NULL,
            language TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER,                          -- of no use afterwards; null: always of use
            attempts INTEGER NOT NULL DEFAULT 0,
            next_attempt_at INTEGER,                     -- null: given up
            last_error TEXT
        ) STRICT;
        CREATE INDEX mail_message_due ON mail_message (next_attempt_at) WHERE next_attempt_at IS NOT NULL;

        -- The addresses that people give to the apps of one team instead of their own. A row stays when its person or
        -- team is gone, so that nobody else ever gets the address.
        CREATE TABLE hidden_address (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            address TEXT NOT NULL UNIQUE,                -- lower case
            team_id INTEGER REFERENCES team (id) ON DELETE SET NULL,
            person_id INTEGER REFERENCES person (id) ON DELETE SET NULL,
            forwards INTEGER NOT NULL DEFAULT 1,
            created_at INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,                 -- when forwarding was switched
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

        -- What a person sees in place of an app's address, so that the answer goes through the relay as well.
        CREATE TABLE reply_address (
            address TEXT PRIMARY KEY,                    -- lower case
            hidden_address_id INTEGER NOT NULL REFERENCES hidden_address (id) ON DELETE CASCADE,
            sender TEXT NOT NULL,                        -- the address of the app
            created_at INTEGER NOT NULL,
            used_at INTEGER NOT NULL,                    -- the day of the last mail in either direction
            UNIQUE (hidden_address_id, sender)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX reply_address_used ON reply_address (used_at);
        """
}
