extension Schema {
    static let developers = """
        -- A team that was removed. Its row stays, because apps that it had keep the ids that it knows people by.
        ALTER TABLE team ADD COLUMN removed_at INTEGER;

        -- A client id that was taken from its app. It stays reserved for the app.
        ALTER TABLE client ADD COLUMN removed_at INTEGER;

        -- Invitations to teams. Whoever has the code joins.
        CREATE TABLE team_invitation (
            code_hash BLOB NOT NULL PRIMARY KEY,
            team_id INTEGER NOT NULL REFERENCES team (id),
            invited_by INTEGER REFERENCES person (id),   -- null: the operator
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX team_invitation_team ON team_invitation (team_id);
        CREATE INDEX team_invitation_person ON team_invitation (invited_by);

        -- Apps that a team offers to another, which accepts them or does not.
        CREATE TABLE app_offer (
            app_id INTEGER NOT NULL PRIMARY KEY REFERENCES app (id),
            to_team_id INTEGER NOT NULL REFERENCES team (id),
            offered_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX app_offer_team ON app_offer (to_team_id);

        -- The team that a change belongs to; null if it belongs to none.
        ALTER TABLE administration_change ADD COLUMN team_id INTEGER;
        CREATE INDEX administration_change_team ON administration_change (team_id, id);
        """
}
