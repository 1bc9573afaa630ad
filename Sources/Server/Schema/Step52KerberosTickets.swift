extension Schema {
    static let kerberosTickets = """
        -- Realms of Kerberos whose tickets sign people of an organization in.
        CREATE TABLE kerberos_realm (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            organization_id INTEGER NOT NULL REFERENCES organization,
            realm TEXT NOT NULL,                         -- as it writes itself, mostly in upper case
            matching TEXT NOT NULL,                      -- what the name before the @ is: see KerberosRealm.Matching
            domain TEXT,                                 -- follows the name in user names; null for other matchings
            is_given INTEGER NOT NULL DEFAULT 0,         -- 1: by the operator, whatever the domains are
            added_at INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX kerberos_realm_name ON kerberos_realm (lower(realm));
        CREATE INDEX kerberos_realm_organization ON kerberos_realm (organization_id);
        CREATE INDEX person_sis_username ON person (organization_id, lower(sis_username)) WHERE sis_username IS NOT NULL;
        CREATE INDEX person_number ON person (organization_id, lower(person_number)) WHERE person_number IS NOT NULL;
        -- How the person has proved who they are before the second factor, as in browser_session; 128: a ticket of Kerberos.
        ALTER TABLE pending_sign_in ADD COLUMN methods INTEGER NOT NULL DEFAULT 1;
        """
}
