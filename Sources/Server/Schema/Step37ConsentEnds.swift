extension Schema {
    static let consentEnds = """
        ALTER TABLE consent ADD COLUMN last_day TEXT;    -- 2027-07-31; null: it has no end
        -- How many mails have asked to renew it before this last day.
        ALTER TABLE consent ADD COLUMN reminders INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX consent_last_day ON consent (last_day) WHERE revoked_at IS NULL AND last_day IS NOT NULL;

        -- How long the consents last that an organization gives. No row: until they are revoked.
        CREATE TABLE consent_term (
            organization_id INTEGER NOT NULL PRIMARY KEY REFERENCES organization (id),
            ends TEXT NOT NULL                           -- 'year', or a day of each year: '07-31'
        ) STRICT, WITHOUT ROWID;
        """
}
