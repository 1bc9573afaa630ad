extension Schema {
    static let proofs = """
        -- Each authorization request of the app carries a `code_challenge`, also those of clients with a secret.
        ALTER TABLE app ADD COLUMN requires_proof_key INTEGER NOT NULL DEFAULT 0;

        -- When the owner of a personal account answered a code that was sent to its email address; null: nobody did. The
        -- audit trail knows of which accounts that is true; the operator made the others, and typed their addresses.
        ALTER TABLE person ADD COLUMN email_verified_at INTEGER;
        UPDATE person SET email_verified_at = (
            SELECT MAX(at) FROM audit_entry
            WHERE subject = 'person:' || person.id
              AND detail IN ('by sign-up, with a verified address', 'email address, verified')
        )
        WHERE organization_id IS NULL;

        -- A hidden address ends with the last app that had it. Those that outlived it end now.
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
