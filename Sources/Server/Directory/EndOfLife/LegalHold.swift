import Foundation
import Storage

/// The order that nothing about a person, or about anybody of an organization, is erased for a time: because a court or
/// an authority asks for it, or may.
package struct LegalHold: Equatable, Sendable {
    package let id: LegalHoldID
    package let organizationID: OrganizationID
    /// Nil for everybody.
    package let personID: PersonID?
    package let reason: String
    package let begunAt: Date
    /// The last day on which it is in force.
    package let lastDay: CalendarDay
    /// When somebody ended it before that day.
    package let endedAt: Date?

    private static let columns = "id, organization_id, person_id, reason, begun_at, last_day, ended_at"

    private init(_ row: Row) throws {
        id = try row["id"]
        organizationID = try row["organization_id"]
        personID = try row["person_id"]
        reason = try row["reason"]
        begunAt = try row["begun_at"]
        lastDay = try row["last_day"]
        endedAt = try row["ended_at"]
    }

    package func isInForce(at now: Date) -> Bool { endedAt == nil && lastDay >= CalendarDay(now) }
}

package struct LegalHoldID: RecordID {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

extension LegalHold {
    /// - Throws: ``DirectoryError/invalidField(field:reason:)``
    package static func insert(
        in organization: OrganizationID, person: PersonID?, reason: String, until lastDay: CalendarDay, at now: Date,
        in transaction: WriteTransaction
    ) throws -> LegalHold {
        try transaction.first(
            """
            INSERT INTO legal_hold (organization_id, person_id, reason, begun_at, last_day)
            VALUES ($1, $2, $3, $4, $5) RETURNING \(columns)
            """,
            [organization, person, try FieldRule.name.check(reason, field: "reason"), now, lastDay], LegalHold.init
        )!  // an insert without conflict clause returns its row
    }

    package static func find(_ id: LegalHoldID, in transaction: some Transaction) throws -> LegalHold? {
        try transaction.first("SELECT \(columns) FROM legal_hold WHERE id = $1", [id], LegalHold.init)
    }

    /// All legal holds of an organization, also those that are over, the newest first.
    package static func list(of organization: OrganizationID, in transaction: some Transaction) throws -> [LegalHold] {
        try transaction.all(
            "SELECT \(columns) FROM legal_hold WHERE organization_id = $1 ORDER BY id DESC", [organization],
            LegalHold.init)
    }

    /// A hold that is in force and covers the person; nil if nothing is held.
    package static func covering(
        _ person: PersonID, of organization: OrganizationID, at now: Date, in transaction: some Transaction
    ) throws -> LegalHold? {
        try transaction.first(
            """
            SELECT \(columns) FROM legal_hold
            WHERE organization_id = $1 AND (person_id IS NULL OR person_id = $2)
              AND ended_at IS NULL AND last_day >= $3
            ORDER BY last_day DESC, id LIMIT 1
            """, [organization, person, CalendarDay(now)], LegalHold.init)
    }

    /// A hold that is in force for the whole organization.
    package static func coveringAll(
        of organization: OrganizationID, at now: Date, in transaction: some Transaction
    ) throws -> LegalHold? {
        try covering(.none, of: organization, at: now, in: transaction)
    }

    /// - Returns: false if it was ended before.
    package func end(at now: Date, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            "UPDATE legal_hold SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL", [id, now]) > 0
    }
}
