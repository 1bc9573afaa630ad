import Foundation
import Storage

/// The people and rows to which a rule applies. People whom a legal hold covers are among those who are due: whether
/// one does has to be asked for each.
extension RetentionRule {
    /// People of whom a rule says that they are due, by id.
    /// - Parameter cutoff: what happened before this time is due.
    package static func duePeople(
        _ kind: Kind, of organization: OrganizationID, before cutoff: Date, after last: PersonID, limit: Int,
        in transaction: some Transaction
    ) throws -> [Person] {
        guard let condition = condition(kind) else { return [] }
        return try transaction.all(
            """
            SELECT \(Person.columns) FROM person
            WHERE person.organization_id = $1 AND person.id > $3 AND \(condition)
            ORDER BY person.id LIMIT $4
            """, [organization, cutoff, last, limit], Person.init)
    }

    package static func isDue(
        _ person: PersonID, _ kind: Kind, of organization: OrganizationID, before cutoff: Date,
        in transaction: some Transaction
    ) throws -> Bool {
        guard let condition = condition(kind) else { return false }
        return try transaction.exists(
            "SELECT 1 FROM person WHERE person.organization_id = $1 AND person.id = $3 AND \(condition)",
            [organization, cutoff, person])
    }

    /// How many people have left on each day before a given time, with the first time of the day. People with a legal
    /// hold of their own are not among them.
    package static func leavings(
        of organization: OrganizationID, before cutoff: Date, at now: Date, in transaction: some Transaction
    ) throws -> [(first: Date, count: Int)] {
        guard let condition = condition(.leftPeople) else { return [] }
        return try transaction.all(
            """
            SELECT MIN(person.deactivated_at) AS first_at, COUNT(*) AS people FROM person
            WHERE person.organization_id = $1 AND \(condition) AND NOT EXISTS (
                SELECT 1 FROM legal_hold AS hold
                WHERE hold.person_id = person.id AND hold.ended_at IS NULL AND hold.last_day >= $3
            )
            GROUP BY person.deactivated_at / 86400
            """, [organization, cutoff, CalendarDay(now)]
        ) { (try $0["first_at"], try $0["people"]) }
    }

    /// SQL for people to whom a rule applies, with the organization as `$1` and the time as `$2`; nil for rules that
    /// are not about whole people.
    private static func condition(_ kind: Kind) -> String? {
        switch kind {
        case .leftPeople:
            // A record that was merged into another one is erased together with that.
            """
            person.state = 'deactivated' AND person.deleted_at IS NULL AND person.deactivated_at < $2
            AND NOT EXISTS (SELECT 1 FROM person_merge WHERE merged_id = person.id)
            """
        case .unusedAccounts:
            """
            person.state <> 'deactivated' AND person.source = 'manual' AND person.created_at < $2
            AND NOT EXISTS (
                SELECT 1 FROM audit_mention AS mention
                JOIN audit_entry AS entry
                  ON entry.organization_id = mention.organization_id AND entry.sequence = mention.sequence
                WHERE mention.organization_id = $1 AND mention.term = 'person:' || person.id AND mention.at >= $2
                  AND entry.actor = mention.term AND entry.outcome = 'done'
            )
            AND NOT EXISTS (SELECT 1 FROM known_browser AS b WHERE b.person_id = person.id AND b.used_at >= $2)
            AND NOT EXISTS (SELECT 1 FROM registered_device AS d WHERE d.person_id = person.id AND d.used_at >= $2)
            AND NOT EXISTS (SELECT 1 FROM credential AS c WHERE c.person_id = person.id AND c.changed_at >= $2)
            """
        case .sessions, .imports: nil
        }
    }

    /// How many rows a rule applies to that is not about whole people; 0 for the others.
    package static func countDueRows(
        _ kind: Kind, of organization: OrganizationID, before cutoff: Date, at now: Date,
        in transaction: some Transaction
    ) throws -> Int {
        try rows(kind, at: now).reduce(0) { sum, rows in
            sum
                + (try transaction.first(
                    "SELECT COUNT(*) FROM \(rows.table) WHERE \(rows.condition)",
                    [organization, cutoff] + rows.parameters
                ) { try $0[0] as Int } ?? 0)
        }
    }

    /// Deletes some of the rows.
    /// - Returns: how many.
    package static func deleteDueRows(
        _ kind: Kind, of organization: OrganizationID, before cutoff: Date, at now: Date, limit: Int,
        in transaction: WriteTransaction
    ) throws -> Int {
        var deleted = 0
        for rows in rows(kind, at: now) where deleted < limit {
            deleted += try transaction.execute(
                """
                DELETE FROM \(rows.table) WHERE (\(rows.key)) IN (
                    SELECT \(rows.key) FROM \(rows.table) WHERE \(rows.condition) LIMIT \(limit - deleted)
                )
                """, [organization, cutoff] + rows.parameters)
        }
        return deleted
    }

    private struct Rows {
        let table: String
        let key: String
        let condition: String
        var parameters: [any SQLConvertible] = []
    }

    /// The tables of a rule that is not about whole people, with the SQL condition for rows that are due: the
    /// organization is `$1`, the time `$2`. Rows of a person whom a legal hold of their own covers are left out.
    private static func rows(_ kind: Kind, at now: Date) -> [Rows] {
        func ofPeople(_ table: String, _ key: String, _ used: String) -> Rows {
            Rows(
                table: table, key: key,
                condition: """
                    \(used) < $2 AND person_id IN (
                        SELECT id FROM person WHERE organization_id = $1
                    ) AND NOT EXISTS (
                        SELECT 1 FROM legal_hold AS hold
                        WHERE hold.person_id = \(table).person_id AND hold.ended_at IS NULL AND hold.last_day >= $3
                    )
                    """, parameters: [CalendarDay(now)])
        }
        return switch kind {
        case .leftPeople, .unusedAccounts: []
        case .sessions:
            [
                ofPeople("browser_session", "token_hash", "authenticated_at"),
                ofPeople("known_browser", "browser_hash, person_id", "used_at"),
                ofPeople("client_session", "session_hash, client_id", "used_at"),
            ]
        case .imports:
            [
                Rows(table: "import_files", key: "id", condition: "organization_id = $1 AND kept_at < $2"),
                Rows(
                    table: "roster_import", key: "id",
                    condition: """
                        organization_id = $1 AND applied_at < $2
                        AND id < (SELECT MAX(newest.id) FROM roster_import AS newest WHERE newest.organization_id = $1)
                        """),
            ]
        }
    }
}
