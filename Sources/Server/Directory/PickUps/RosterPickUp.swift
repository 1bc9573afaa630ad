import Foundation
import Storage

/// A folder into which an information system puts its files, and which the server reads once a day.
package struct RosterPickUp: Equatable, Sendable {
    package enum Outcome: String, Codable, CaseIterable, Sendable, SQLConvertible {
        /// Records were changed.
        case applied
        /// The plan waits for approval.
        case held
        /// The records were as in the files already.
        case nothingToDo = "nothing-to-do"
        /// The files have errors.
        case defective
        /// No files were there.
        case missing
        /// What was there could not be read, or is none of the files.
        case unreadable
        /// Somebody was still writing hours later, by the names of the files or by when they were changed.
        case unfinished
    }

    package let id: Int64
    package let organization: OrganizationID
    /// The school whose files they are; nil for files of the whole organization.
    package let location: LocationID?
    /// The hour of the day at which it is read, in UTC.
    package let hour: Int
    /// The key with which files are sent by SFTP, as OpenSSH writes it; nil if they come otherwise.
    package let publicKey: String?
    /// While it is read, or its files are waited for, since when.
    package let dueAt: Date
    package let readAt: Date?
    package let outcome: Outcome?
    package let errorCount: Int

    /// The name of its account for SFTP, and of its folder below the folder of all pick-ups.
    package var name: String { "lanyard-drop-\(id)" }

    /// How long a server that has begun to read keeps others from it, in seconds. An import of a large district takes
    /// minutes; after a crash it is read again.
    private static let lease: TimeInterval = 3_600

    private static let columns =
        "id, organization_id, location_id, hour, public_key, due_at, read_at, outcome, error_count"

    private init(_ row: Row) throws {
        id = try row["id"]
        organization = try row["organization_id"]
        location = try row["location_id"]
        hour = try row["hour"]
        publicKey = try row["public_key"]
        dueAt = try row["due_at"]
        readAt = try row["read_at"]
        outcome = try row["outcome"]
        errorCount = try row["error_count"]
    }

    package static func list(of organization: OrganizationID, in transaction: some Transaction) throws -> [Self] {
        try transaction.all(
            "SELECT \(columns) FROM roster_pick_up WHERE organization_id = $1 ORDER BY id", [organization], Self.init)
    }

    package static func find(
        _ id: Int64, of organization: OrganizationID, in transaction: some Transaction
    ) throws -> Self? {
        try transaction.first(
            "SELECT \(columns) FROM roster_pick_up WHERE id = $1 AND organization_id = $2", [id, organization],
            Self.init)
    }

    package static func find(
        at location: LocationID?, of organization: OrganizationID, in transaction: some Transaction
    ) throws -> Self? {
        try list(of: organization, in: transaction).first { $0.location == location }
    }

    /// The next time after `now` at which the hour begins.
    package static func next(_ hour: Int, after now: Date) -> Date {
        let day = (now.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400
        let today = Date(timeIntervalSince1970: day + Double(hour) * 3_600)
        return today > now ? today : today.addingTimeInterval(86_400)
    }

    // MARK: Setting up

    package static func insert(
        at location: LocationID?, of organization: OrganizationID, hour: Int, publicKey: String?, at now: Date,
        in transaction: WriteTransaction
    ) throws -> Self {
        try transaction.first(
            """
            INSERT INTO roster_pick_up (organization_id, location_id, hour, public_key, due_at)
            VALUES ($1, $2, $3, $4, $5)
            RETURNING \(columns)
            """, [organization, location, hour, publicKey, next(hour, after: now)], Self.init
        )!  // an insert without conflict clause returns its row
    }

    package func set(hour: Int, publicKey: String?, at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE roster_pick_up SET hour = $2, public_key = $3, due_at = $4 WHERE id = $1",
            [id, hour, publicKey, Self.next(hour, after: now)])
    }

    package func delete(in transaction: WriteTransaction) throws {
        try transaction.execute("DELETE FROM roster_pick_up WHERE id = $1", [id])
    }

    /// Has it read as soon as possible, and again if it is being read now.
    package func ask(at now: Date, in transaction: WriteTransaction) throws {
        // Always another time than before, by which `note` knows that somebody has asked.
        try transaction.execute(
            "UPDATE roster_pick_up SET due_at = CASE WHEN due_at > $2 THEN $2 ELSE due_at - 1 END WHERE id = $1",
            [id, now])
    }

    // MARK: Reading

    package static func isDue(at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            """
            SELECT 1 FROM roster_pick_up
            WHERE due_at <= $1 AND (leased_until IS NULL OR leased_until <= $1)
            """, [now])
    }

    /// Takes the one that is due for the longest time; nil if there is none. Its ``dueAt`` is now then, or the time at
    /// which it was taken first if it was postponed since.
    package static func take(at now: Date, in transaction: WriteTransaction) throws -> Self? {
        try transaction.first(
            """
            UPDATE roster_pick_up
            SET leased_until = $2, due_at = CASE WHEN leased_until IS NULL THEN $1 ELSE due_at END
            WHERE id = (
                SELECT id FROM roster_pick_up
                WHERE due_at <= $1 AND (leased_until IS NULL OR leased_until <= $1)
                ORDER BY due_at, id LIMIT 1
            )
            RETURNING \(columns)
            """, [now, now.addingTimeInterval(lease)], Self.init)
    }

    /// Gives the pick-up back, to be read again a little later, because files are still being written.
    package func postpone(until date: Date, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE roster_pick_up SET leased_until = $2 WHERE id = $1", [id, date])
    }

    /// Notes what has come of reading it. If somebody has set another hour meanwhile, or asked for a reading, it is due
    /// when they have said.
    package func note(
        _ outcome: Outcome, errors: Int, report: [UInt8]?, at now: Date, in transaction: WriteTransaction
    ) throws {
        try transaction.execute(
            """
            UPDATE roster_pick_up
            SET leased_until = NULL, read_at = $2, outcome = $4, error_count = $5, sealed_report = $6,
                due_at = CASE WHEN due_at = $7 THEN $3 ELSE due_at END
            WHERE id = $1
            """, [id, now, Self.next(hour, after: now), outcome, errors, report, dueAt])
    }

    /// The report about the last reading, sealed; nil if none is kept.
    package func sealedReport(in transaction: some Transaction) throws -> [UInt8]? {
        try transaction.first("SELECT sealed_report FROM roster_pick_up WHERE id = $1", [id]) {
            try $0["sealed_report"] as [UInt8]?
        } ?? nil
    }
}
