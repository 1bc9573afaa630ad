import Foundation
import Storage

/// The end of an organization: nobody of it can sign in, no app reads it, and nothing of it is changed any more.
package struct OrganizationClosing: Equatable, Sendable {
    package let closedAt: Date
    /// The day from which on its people, classes and locations are erased. Until then it can be opened again.
    package let erasesOn: CalendarDay
    /// When nothing was left but what has to stay; nil before.
    package let erasedAt: Date?

    init?(_ row: Row) throws {
        guard let closedAt: Date = try row["closed_at"] else { return nil }
        self.closedAt = closedAt
        erasesOn = try row["erases_on"]
        erasedAt = try row["erased_at"]
    }

    /// Whether its people are to be erased now.
    package func isDue(on today: CalendarDay) -> Bool { erasedAt == nil && erasesOn <= today }
}

extension Organization {
    /// - Throws: ``DirectoryError/organizationClosed(_:since:)``
    package func checkIsOpen() throws {
        guard let closing else { return }
        throw DirectoryError.organizationClosed(name, since: CalendarDay(closing.closedAt))
    }

    package static func isClosed(_ id: OrganizationID, in transaction: some Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM organization WHERE id = $1 AND closed_at IS NOT NULL", [id])
    }

    /// Ends everything that its people are signed in to, and keeps them from signing in again. Their apps are told
    /// afterwards, see ``Departure``.
    /// - Parameter closedAt: when it was closed first, if that is done again; nil for now.
    package func close(
        erasingOn day: CalendarDay, since closedAt: Date? = nil, at now: Date, in transaction: WriteTransaction
    ) throws {
        try put(closedAt: closedAt ?? now, erasesOn: day, at: now, in: transaction)
        try Departure.note(
            "SELECT person.id FROM person WHERE person.organization_id = $1 AND person.state <> 'deactivated'", [id],
            at: now, in: transaction)
        // An invitation that is open would still make an account.
        try transaction.execute("DELETE FROM invitation WHERE organization_id = $1", [id])
    }

    /// Writes down since when it is closed, and until when it can be opened again. Nothing ends by it.
    package func put(
        closedAt: Date, erasesOn: CalendarDay, at now: Date, in transaction: WriteTransaction
    ) throws {
        try transaction.execute(
            "UPDATE organization SET closed_at = $2, erases_on = $3, modified_at = $4 WHERE id = $1",
            [id, closedAt, erasesOn, now])
    }

    /// Lets its people sign in again. What has ended stays so.
    package func reopen(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            """
            UPDATE organization SET closed_at = NULL, erases_on = NULL, swept_on = NULL, modified_at = $2 WHERE id = $1
            """,
            [id, now])
    }

    /// The organizations of which something is still to be erased, and which were not gone through on that day yet.
    package static func list(
        dueForErasureOn today: CalendarDay, in transaction: some Transaction
    ) throws -> [Organization] {
        try transaction.all(
            """
            SELECT \(columns) FROM organization
            WHERE closed_at IS NOT NULL AND erased_at IS NULL AND erases_on <= $1
              AND (swept_on IS NULL OR swept_on < $1)
            ORDER BY id
            """, [today], Organization.init)
    }

    package func noteSwept(on today: CalendarDay, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE organization SET swept_on = $2 WHERE id = $1", [id, today])
    }

    package func noteErased(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE organization SET erased_at = $2, picture_id = NULL, picture = NULL WHERE id = $1", [id, now])
    }
}
