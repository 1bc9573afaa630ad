extension Schema {
    static let auditMentions = """
        -- What an entry is about, so that each question to the trail is a range of this table, however long the trail
        -- is. No hash covers it: it can be made again from the entries, as it is below for those of before.
        CREATE TABLE audit_mention (
            organization_id INTEGER NOT NULL,
            term TEXT NOT NULL,                          -- see AuditMention
            at INTEGER NOT NULL,                         -- of the entry, as is the number
            sequence INTEGER NOT NULL,
            PRIMARY KEY (organization_id, term, at, sequence)
        ) STRICT, WITHOUT ROWID;
        -- Timestamps that others have given for the hash of an entry (RFC 3161).
        CREATE TABLE audit_anchor (
            organization_id INTEGER NOT NULL,            -- as in audit_entry
            sequence INTEGER NOT NULL,
            at INTEGER NOT NULL,                         -- as the authority says
            reply BLOB NOT NULL,
            PRIMARY KEY (organization_id, sequence, at)
        ) STRICT, WITHOUT ROWID;
        -- For questions without any of these, and for the time at which a page begins.
        CREATE INDEX audit_entry_time ON audit_entry (organization_id, at, sequence);

        INSERT INTO audit_mention
        SELECT organization_id, 'action:' || action, at, sequence FROM audit_entry
        ORDER BY organization_id, action, at, sequence;

        INSERT INTO audit_mention
        SELECT organization_id, 'refused', at, sequence FROM audit_entry WHERE outcome = 'refused'
        ORDER BY organization_id, at, sequence;

        INSERT INTO audit_mention
        SELECT organization_id, actor, at, sequence FROM audit_entry
        WHERE actor LIKE 'person:%' OR actor LIKE 'client:%'
        ORDER BY organization_id, actor, at, sequence;

        INSERT INTO audit_mention
        SELECT organization_id, subject, at, sequence FROM audit_entry
        WHERE (subject LIKE 'person:%' OR subject LIKE 'app:%' OR subject LIKE 'location:%') AND subject <> actor
        ORDER BY organization_id, subject, at, sequence;

        -- Formerly these did not say which people they were about.
        INSERT INTO audit_mention
        SELECT organization_id, 'everybody', at, sequence FROM audit_entry
        WHERE action = 'roster.exported' OR (action = 'administration.read' AND detail = 'person.list')
        ORDER BY organization_id, at, sequence;
        """

    /// Details name at most one person, one app and one location, and one range of ids.
    static let auditDetailsInSQLite =
        ["person", "app", "location"].map { name in
            """
            INSERT INTO audit_mention
            SELECT organization_id,
                   '\(name):' || CAST(substr(detail, instr(detail, '\(name):') + \(name.count + 1)) AS INTEGER), at, sequence
            FROM audit_entry WHERE detail GLOB '*\(name):[0-9]*'
            ON CONFLICT DO NOTHING;
            """
        }.joined(separator: "\n") + "\n"
        + rangesOfRosterReads(
            first: "CAST(substr(detail, instr(detail, 'ids ') + 4) AS INTEGER)",
            last: "CAST(substr(detail, instr(detail, '…') + 1) AS INTEGER)",
            single: "CAST(substr(detail, instr(detail, ' ') + 1) AS INTEGER)")

    static let auditDetailsInPostgreSQL =
        ["person", "app", "location"].map { name in
            """
            INSERT INTO audit_mention
            SELECT organization_id, substring(detail from '\(name):[0-9]+'), at, sequence
            FROM audit_entry WHERE detail ~ '\(name):[0-9]'
            ON CONFLICT DO NOTHING;
            """
        }.joined(separator: "\n") + "\n"
        + rangesOfRosterReads(
            first: "CAST(substring(detail from 'ids ([0-9]+)') AS BIGINT)",
            last: "CAST(substring(detail from '…([0-9]+)') AS BIGINT)",
            single: "CAST(substring(detail from ' ([0-9]+)') AS BIGINT)")

    /// The blocks of ids that a page of a roster touches, as AuditMention counts them.
    private static func rangesOfRosterReads(first: String, last: String, single: String) -> String {
        let lists = "CASE WHEN subject IN ('classes', 'classes/one') THEN 'classes' ELSE 'people' END"
        let reads = """
            SELECT organization_id, at, sequence, \(lists) AS records, \(first) AS first, \(last) AS last
            FROM audit_entry
            WHERE action = 'roster.read' AND subject IN ('users', 'classes', 'classes/users') AND detail LIKE '%ids %…%'
            UNION ALL
            SELECT organization_id, at, sequence, \(lists), \(single), \(single)
            FROM audit_entry
            WHERE action = 'roster.read' AND subject IN ('users/one', 'classes/one')
            """
        return ["first", "last"].map { end in
            """
            INSERT INTO audit_mention
            WITH RECURSIVE level (number, size) AS (
                SELECT 0, CAST(1 AS BIGINT) UNION ALL SELECT number + 1, size * 4 FROM level WHERE number < 31
            ),
            -- Otherwise the words of an entry would be taken apart for each level anew.
            page AS MATERIALIZED (\(reads))
            SELECT organization_id, records || '/' || number || '/' || (\(end) / size), at, sequence
            FROM page
            JOIN level ON size > last - first AND (number = 0 OR size / 4 <= last - first)
            WHERE last >= first
            ON CONFLICT DO NOTHING;
            """
        }.joined(separator: "\n")
    }

    /// Where the people have their roles now. From here on each entry has the places of its own time.
    static let auditPlaces = """
        INSERT INTO audit_mention
        SELECT DISTINCT role.organization_id, 'location:' || role.location_id, mention.at, mention.sequence
        FROM role_assignment AS role
        JOIN audit_mention AS mention
          ON mention.organization_id = role.organization_id AND mention.term = 'person:' || role.person_id
        WHERE role.location_id > 0
        ON CONFLICT DO NOTHING;
        """
}
