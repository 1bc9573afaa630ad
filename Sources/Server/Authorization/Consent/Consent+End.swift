import Directory
import Foundation
import Ground
import Storage

extension Consent {
    /// How many days before the last one those who decide are asked to renew, first and once more. Six weeks are enough
    /// for a letter that arrives on the first day of the summer holidays.
    package static let noticeDays = 42
    static let lastNoticeDays = 7

    /// Gives the consent another last day, or none, and has the mails about it begin anew.
    /// - Returns: false if it has been revoked meanwhile.
    package func put(lastDay: CalendarDay?, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            "UPDATE consent SET last_day = $2, reminders = 0 WHERE id = $1 AND revoked_at IS NULL", [id, lastDay]) > 0
    }

    /// The number of the mail about the consent's end that is due, from 1; nil if none is.
    package func dueReminder(at now: Date) -> Int? {
        guard isAlive(at: now), let lastDay else { return nil }
        let today = CalendarDay(now)
        let due =
            lastDay <= today.adding(days: Self.lastNoticeDays)
            ? 2 : lastDay <= today.adding(days: Self.noticeDays) ? 1 : 0
        return due > reminders ? due : nil
    }

    /// The consents, of all organizations, about whose end a mail is due.
    package static func list(endingSoonAt now: Date, in transaction: some Transaction) throws -> [Consent] {
        try transaction.all(
            "SELECT \(columns) FROM consent WHERE revoked_at IS NULL AND last_day <= $1 ORDER BY id",
            [CalendarDay(now).adding(days: noticeDays)], Consent.init
        ).filter { $0.dueReminder(at: now) != nil }
    }

    /// Notes that a mail was queued, in the same transaction.
    /// - Returns: false if it has been noted before, so that no second one is queued.
    package func note(reminder: Int, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            """
            UPDATE consent SET reminders = $2
            WHERE id = $1 AND revoked_at IS NULL AND reminders < $2 AND last_day = $3
            """, [id, reminder, lastDay]) > 0
    }
}

/// Ends consents whose last day is over: writes down that they have ended, and tells the apps. Nobody depends on when
/// that happens, because everybody who asks a consent looks at its last day.
package struct ConsentEnds: Sendable {
    private let database: any Database
    private let surroundings: Surroundings

    package init(database: any Database, surroundings: Surroundings) {
        self.database = database
        self.surroundings = surroundings
    }

    /// Each consent ends in a transaction of its own, so that an interruption leaves none half ended.
    /// - Returns: how many have ended.
    @discardableResult
    package func finish() async throws -> Int {
        let (now, surroundings) = (surroundings.now(), surroundings)
        let over = try await database.read { try Consent.list(overAt: now, in: $0) }
        var count = 0
        for id in over {
            let hasEnded = try await database.write { transaction in
                try Consent.find(id, in: transaction)?
                    .endIfOver(at: now, surroundings: surroundings, in: transaction) ?? false
            }
            count += hasEnded ? 1 : 0
        }
        return count
    }
}

extension Consent {
    fileprivate static func list(overAt now: Date, in transaction: some Transaction) throws -> [ConsentID] {
        try transaction.all(
            "SELECT id FROM consent WHERE revoked_at IS NULL AND last_day < $1 ORDER BY id",
            [CalendarDay.earliest(at: now)]
        ) { try $0["id"] }
    }
}
