extension Schema {
    static let signInVersions = """
        -- Increased by everything that signs the person out everywhere: a new password, a deactivation, an operator's
        -- command. Sessions, codes and grants store the number at the time of the sign-in, and end when the person's
        -- number differs. Unlike a time, this works with a wrong clock and for events in the same second.
        ALTER TABLE person ADD COLUMN sign_in_version INTEGER NOT NULL DEFAULT 1;
        -- The default 0 matches no person, whose numbers begin with 1.
        ALTER TABLE browser_session ADD COLUMN sign_in_version INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE authorization_code ADD COLUMN sign_in_version INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE access_grant ADD COLUMN sign_in_version INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE device_authorization ADD COLUMN sign_in_version INTEGER;
        ALTER TABLE email_challenge ADD COLUMN sign_in_version INTEGER;

        -- What had ended by the former rule, a change of the password after the sign-in, stays ended; the rest gets the
        -- current number. Grants by an organization's consent do not end with a new password.
        UPDATE browser_session SET sign_in_version = 1;
        UPDATE authorization_code SET sign_in_version = 1
        WHERE consent_id IS NOT NULL OR NOT EXISTS (
            SELECT 1 FROM credential AS c
            WHERE c.person_id = authorization_code.person_id AND c.changed_at > authorization_code.authenticated_at
        );
        UPDATE access_grant SET sign_in_version = 1
        WHERE consent_id IS NOT NULL OR NOT EXISTS (
            SELECT 1 FROM credential AS c
            WHERE c.person_id = access_grant.person_id AND c.changed_at > access_grant.authenticated_at
        );
        UPDATE device_authorization SET sign_in_version = 1
        WHERE person_id IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM credential AS c
            WHERE c.person_id = device_authorization.person_id AND c.changed_at > device_authorization.authenticated_at
        );
        UPDATE email_challenge SET sign_in_version = 1
        WHERE person_id IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM credential AS c
            WHERE c.person_id = email_challenge.person_id AND c.changed_at > email_challenge.created_at
        );

        -- People who are deactivated do not regain their sessions and devices when they are activated again.
        UPDATE person SET sign_in_version = 2 WHERE state = 'deactivated';
        DELETE FROM registered_device WHERE person_id IN (SELECT id FROM person WHERE state = 'deactivated');
        DELETE FROM device_registration_code WHERE person_id IN (SELECT id FROM person WHERE state = 'deactivated');

        -- People who were deactivated, until the apps that they used have been notified.
        CREATE TABLE departure (
            person_id INTEGER PRIMARY KEY REFERENCES person (id) ON DELETE CASCADE,
            left_at INTEGER NOT NULL
        ) STRICT;
        """
}
