extension Schema {
    static let proofs = """
        -- Whether every authorization request of the app needs a `code_challenge`, even of clients with a secret.
        ALTER TABLE app ADD COLUMN requires_proof_key INTEGER NOT NULL DEFAULT 0;

        -- When the owner of a personal account entered a code that was sent to its email address; null: never. For
        -- existing accounts the audit trail tells; those without an entry were made by an operator, who typed the
        -- address.
        ALTER TABLE person ADD COLUMN email_verified_at INTEGER;
        UPDATE person SET email_verified_at = (
            SELECT MAX(at) FROM audit_entry
            WHERE subject = 'person:' || person.id
              AND detail IN ('by sign-up, with a verified address', 'email address, verified')
        )
        WHERE organization_id IS NULL;

        -- A hidden address is turned off with the last app that uses it. Those that have no app any more are turned off
        -- now.
        UPDATE hidden_address SET forwards = 0
        WHERE forwards = 1 AND NOT EXISTS (
            SELECT 1 FROM sign_in_consent AS consent
            JOIN app ON app.id = consent.app_id
            WHERE consent.person_id = hidden_address.person_id AND consent.revoked_at IS NULL
              AND consent.hides_email = 1
              AND (app.team_id = hidden_address.team_id OR EXISTS (
                  SELECT 1 FROM app_transfer
                  WHERE app_id = app.id AND from_team_id = hidden_address.team_id))
        );
        """
}
