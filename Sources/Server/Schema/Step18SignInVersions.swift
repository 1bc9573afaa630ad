extension Schema {
    static let signInVersions = """
        -- Rises with whatever ends all that the person has signed in to: a new password, a deactivation, an operator's word.
        -- What came of a sign-in carries the number of its time, and is over when that is not the person's any more. It
        -- takes no clock, which could be wrong, and tells apart what happened in one second.
        ALTER TABLE person ADD COLUMN sign_in_version INTEGER NOT NULL DEFAULT 1;
        -- 0 is nobody's.
        ALTER TABLE browser_session ADD COLUMN sign_in_version INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE authorization_code ADD COLUMN sign_in_version INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE access_grant ADD COLUMN sign_in_version INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE device_authorization ADD COLUMN sign_in_version INTEGER;
        ALTER TABLE email_challenge ADD COLUMN sign_in_version INTEGER;

        -- What was over by the clock stays over; what was not goes on. An organization's grants outlive a new password.
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

        -- Who is deactivated gets nothing back of what they had.
        UPDATE person SET sign_in_version = 2 WHERE state = 'deactivated';
        DELETE FROM registered_device WHERE person_id IN (SELECT id FROM person WHERE state = 'deactivated');
        DELETE FROM device_registration_code WHERE person_id IN (SELECT id FROM person WHERE state = 'deactivated');

        -- People who were deactivated, until the apps that they used have been told.
        CREATE TABLE departure (
            person_id INTEGER PRIMARY KEY REFERENCES person (id) ON DELETE CASCADE,
            left_at INTEGER NOT NULL
        ) STRICT;
        """
}
