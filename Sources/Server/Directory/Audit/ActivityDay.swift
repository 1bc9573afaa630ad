import Storage

/// How often something happened on one day, counted from the audit trail.
package struct ActivityDay: Equatable, Sendable {
    package enum Kind: String, Sendable, CaseIterable, SQLConvertible {
        /// People have signed in here.
        case signIns = "sign-in"
        /// An app has read records of people or classes; each time counts.
        case recordsRead = "records-read"
    }

    package let day: CalendarDay
    package let number: Int

    /// The days from the first to the last one, those included on which nothing happened.
    /// - Parameter app: the number of an app; nil for all together.
    package static func list(
        _ kind: Kind, of organization: OrganizationID, app: Int64? = nil, from first: CalendarDay,
        to last: CalendarDay, in transaction: some Transaction
    ) throws -> [ActivityDay] {
        let of = app == nil ? "" : "AND app_id = $5"
        let found = try transaction.all(
            """
            SELECT day, SUM(number) AS number FROM activity_day
            WHERE organization_id = $1 AND kind = $2 AND day BETWEEN $3 AND $4 \(of)
            GROUP BY day
            """,
            [organization, kind, first, last] + (app.map { [$0] } ?? [])
        ) { (try $0["day"] as CalendarDay, try $0["number"] as Int) }
        let numbers = Dictionary(uniqueKeysWithValues: found)
        return sequence(first: first) { $0 < last ? $0.adding(days: 1) : nil }.map { day in
            ActivityDay(day: day, number: numbers[day] ?? 0)
        }
    }

    /// How many records each app has read since that day.
    package static func recordsRead(
        of organization: OrganizationID, from first: CalendarDay, in transaction: some Transaction
    ) throws -> [Int64: Int] {
        let found = try transaction.all(
            """
            SELECT app_id, SUM(number) AS number FROM activity_day
            WHERE organization_id = $1 AND kind = $2 AND day >= $3
            GROUP BY app_id
            """, [organization, Kind.recordsRead, first]
        ) { (try $0["app_id"] as Int64, try $0["number"] as Int) }
        return Dictionary(uniqueKeysWithValues: found)
    }
}

/// Counts what the trails have got since the last time, so that no page has to read a trail for its numbers.
///
/// The entries of a trail are numbered without gaps in the order in which they were committed, so each is counted once,
/// whenever that is done and by however many servers.
package struct ActivityCounter: Sendable {
    /// How many records of people or classes an entry says were read; nil if it says nothing of that.
    package typealias ReadingRecords = @Sendable (AuditRecord) -> Int?

    private let database: any Database
    private let recordsRead: ReadingRecords
    /// How many entries one transaction counts. It takes a few milliseconds, for which others wait.
    private let batch: Int

    /// For how many days the numbers are kept.
    private static let memory = 400

    package init(database: any Database, batch: Int = 2_000, recordsRead: @escaping ReadingRecords) {
        self.database = database
        self.batch = batch
        self.recordsRead = recordsRead
    }

    package func run() async throws {
        for organization in try await database.read({ try Self.uncounted(in: $0) }) {
            while try await database.write({ try count(organization, in: $0) }) {}
        }
    }

    private static func uncounted(in transaction: some Transaction) throws -> [OrganizationID] {
        try transaction.all(
            """
            SELECT o.id FROM organization AS o
            WHERE COALESCE((SELECT MAX(e.sequence) FROM audit_entry AS e WHERE e.organization_id = o.id), 0)
                > COALESCE((SELECT c.sequence FROM activity_count AS c WHERE c.organization_id = o.id), 0)
            """
        ) { try $0["id"] }
    }

    private struct Key: Hashable {
        let kind: ActivityDay.Kind
        let client: String?
        let day: CalendarDay
    }

    /// - Returns: whether there may be more.
    private func count(_ organization: OrganizationID, in transaction: WriteTransaction) throws -> Bool {
        let last = try transaction.first(
            "SELECT sequence FROM activity_count WHERE organization_id = $1", [organization]
        ) { try $0[0] as Int }
        let entries = try AuditRecord.page(of: organization, after: last ?? 0, limit: batch, in: transaction)
        guard let newest = entries.last else { return false }
        var numbers: [Key: Int] = [:]
        for entry in entries where entry.outcome == AuditEntry.Outcome.done.rawValue {
            let day = CalendarDay(entry.at)
            if entry.action == AuditEntry.Action.signIn.rawValue {
                numbers[Key(kind: .signIns, client: nil, day: day), default: 0] += 1
            } else if entry.action == AuditEntry.Action.rosterRead.rawValue, let read = recordsRead(entry) {
                let client = entry.actor.hasPrefix("client:") ? String(entry.actor.dropFirst("client:".count)) : nil
                numbers[Key(kind: .recordsRead, client: client, day: day), default: 0] += read
            }
        }
        for (key, number) in numbers {
            try transaction.execute(
                """
                INSERT INTO activity_day (organization_id, kind, app_id, day, number)
                VALUES ($1, $2, COALESCE((SELECT app_id FROM client WHERE client_id = $3), 0), $4, $5)
                ON CONFLICT (organization_id, kind, app_id, day)
                DO UPDATE SET number = activity_day.number + EXCLUDED.number
                """, [organization, key.kind, key.client, key.day, number])
        }
        try transaction.execute(
            "DELETE FROM activity_day WHERE organization_id = $1 AND day < $2",
            [organization, CalendarDay(newest.at).adding(days: -Self.memory)])
        try transaction.execute(
            """
            INSERT INTO activity_count (organization_id, sequence) VALUES ($1, $2)
            ON CONFLICT (organization_id) DO UPDATE SET sequence = EXCLUDED.sequence
            """, [organization, newest.sequence])
        return entries.count == batch
    }
}
