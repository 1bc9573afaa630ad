import Foundation
import Storage

/// The days on which a role counts, from the first to the last; nil for a role without beginning, or without end.
///
/// A role counts as long as one of its days is today anywhere, so that nobody loses the first or the last hours of a day
/// to a server elsewhere. Outside of its days it gives nothing. It stays with the record until somebody takes it away,
/// though, and whoever wants to change the account has to manage it all the same: otherwise somebody could get hold
/// today of an account that is an Administrator's from tomorrow on.
package struct RolePeriod: Hashable, Codable, Sendable {
    package let firstDay: CalendarDay?
    package let lastDay: CalendarDay?

    /// - Throws: ``DirectoryError/invalidField(field:reason:)`` if the last day comes before the first.
    package init(from firstDay: CalendarDay?, until lastDay: CalendarDay?) throws {
        if let firstDay, let lastDay, lastDay < firstDay {
            throw DirectoryError.invalidField(field: "last day", reason: "comes before the first day")
        }
        self.firstDay = firstDay
        self.lastDay = lastDay
    }

    private init() { (firstDay, lastDay) = (nil, nil) }

    /// The period of all roles that imports give.
    package static let always = RolePeriod()

    package enum State: String, Sendable, CaseIterable { case coming, current, past }

    package func state(at now: Date) -> State {
        if let beginsAt, now < beginsAt { return .coming }
        if let endsAt, endsAt <= now { return .past }
        return .current
    }

    package func isInForce(at now: Date) -> Bool { state(at: now) == .current }

    /// Whether the role counts now, and goes on until somebody takes it away.
    package func isLasting(at now: Date) -> Bool { lastDay == nil && isInForce(at: now) }

    /// The days for the audit trail, such as `from 2026-09-01 until 2027-01-31`; empty for a role without days.
    package var text: String {
        [firstDay.map { "from \($0.text)" }, lastDay.map { "until \($0.text)" }].compactMap(\.self).joined(
            separator: " ")
    }

    /// When the role began or ended last; nil if neither has happened yet.
    package func lastTurn(at now: Date) -> Date? {
        [beginsAt, endsAt].lazy.compactMap(\.self).filter { $0 <= now }.max()
    }
}

extension RolePeriod {
    static let columns = "begins_at, ends_at"

    /// When the first day begins where days begin first; nil for a role without beginning.
    package var beginsAt: Date? { firstDay.map { $0.date.addingTimeInterval(-Self.ahead) } }

    /// When the last day is over everywhere; nil for a role without end.
    package var endsAt: Date? { lastDay.map { $0.adding(days: 1).date.addingTimeInterval(Self.behind) } }

    /// How long before UTC days begin where they begin first.
    private static let ahead: TimeInterval = 14 * 3_600
    /// How long after UTC days end where they end last, as for ``CalendarDay/isOver(at:)``.
    private static let behind: TimeInterval = 12 * 3_600

    /// - Parameter row: has the ``columns`` of a role.
    init(_ row: Row) throws {
        let (beginsAt, endsAt) = (try row["begins_at"] as Date?, try row["ends_at"] as Date?)
        firstDay = beginsAt.map { CalendarDay($0.addingTimeInterval(Self.ahead)) }
        lastDay = endsAt.map(Self.lastDay)
    }

    /// The last day of a role that ends at this time, which is one of ``endsAt``.
    package static func lastDay(endingAt time: Date) -> CalendarDay {
        CalendarDay(time.addingTimeInterval(-behind)).adding(days: -1)
    }

    /// SQL condition: whether a role counts, by the rule of ``isInForce(at:)``. Each query that asks what roles give has
    /// it, or ``isLasting(_:at:)``.
    /// - Parameters:
    ///   - role: the name of a row of `role_assignment`.
    ///   - now: the placeholder of the time, such as `$2`.
    package static func isInForce(_ role: String, at now: String) -> String {
        "(\(role).begins_at IS NULL OR \(role).begins_at <= \(now)) AND (\(role).ends_at IS NULL OR \(role).ends_at > \(now))"
    }

    /// SQL condition: whether a role counts, or will count later. What is over keeps nothing in use.
    package static func isNotOver(_ role: String, at now: String) -> String {
        "(\(role).ends_at IS NULL OR \(role).ends_at > \(now))"
    }

    /// SQL condition: the same as ``isLasting(at:)``.
    package static func isLasting(_ role: String, at now: String) -> String {
        "\(role).ends_at IS NULL AND \(isInForce(role, at: now))"
    }
}
