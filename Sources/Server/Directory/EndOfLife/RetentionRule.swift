import Foundation
import Storage

/// After how long an organization wants something to be gone. There is no rule until an administrator sets one.
package struct RetentionRule: Equatable, Sendable {
    package enum Kind: String, Codable, CaseIterable, Sendable, SQLConvertible {
        /// People who were deactivated so long ago, by hand or because the files did not name them any more: they are
        /// erased.
        case leftPeople = "left-people"
        /// Accounts that are kept by hand, and with which nobody has signed in for so long: they are deactivated.
        case unusedAccounts = "unused-accounts"
        /// Traces of sign-ins: browsers and sessions that were not used for so long are forgotten.
        case sessions
        /// What the history has of imports that were made so long ago, but for the newest; and the files of all of
        /// them.
        case imports

        /// Whether what goes does not come back: an account that is deactivated can be reactivated, all else is gone.
        package var isForGood: Bool { self != .unusedAccounts }
    }

    package let kind: Kind
    package let days: Int
    /// The last day on which it was applied to everything that was due.
    package let appliedOn: CalendarDay?

    private init(_ row: Row) throws {
        kind = try row["kind"]
        days = try row["days"]
        appliedOn = try row["applied_on"]
    }

    package static let daysMax = 36_500

    /// - Parameter days: what happened before is due.
    package static func cutoff(_ days: Int, at now: Date) -> Date { now.addingTimeInterval(-Double(days) * 86_400) }

    package static func list(
        of organization: OrganizationID, in transaction: some Transaction
    ) throws -> [RetentionRule] {
        try transaction.all(
            "SELECT kind, days, applied_on FROM retention_rule WHERE organization_id = $1 ORDER BY kind",
            [organization], RetentionRule.init)
    }

    /// - Parameter days: nil for no rule.
    package static func set(
        _ kind: Kind, days: Int?, for organization: OrganizationID, in transaction: WriteTransaction
    ) throws {
        guard let days else {
            try transaction.execute(
                "DELETE FROM retention_rule WHERE organization_id = $1 AND kind = $2", [organization, kind])
            return
        }
        try transaction.execute(
            """
            INSERT INTO retention_rule (organization_id, kind, days) VALUES ($1, $2, $3)
            ON CONFLICT (organization_id, kind) DO UPDATE SET days = EXCLUDED.days, applied_on = NULL
            """, [organization, kind, days])
    }

    package static func note(
        _ kind: Kind, of organization: OrganizationID, appliedOn day: CalendarDay, in transaction: WriteTransaction
    ) throws {
        try transaction.execute(
            "UPDATE retention_rule SET applied_on = $3 WHERE organization_id = $1 AND kind = $2",
            [organization, kind, day])
    }

    /// The organizations that have a rule which was not applied on this day yet. Closed ones are left out: nobody there
    /// can show that an account is in use, and everything has a day on which it is erased.
    package static func organizations(
        notAppliedOn day: CalendarDay, in transaction: some Transaction
    ) throws -> [OrganizationID] {
        try transaction.all(
            """
            SELECT DISTINCT organization_id FROM retention_rule
            JOIN organization ON organization.id = retention_rule.organization_id
            WHERE (applied_on IS NULL OR applied_on <> $1) AND closed_at IS NULL
            ORDER BY organization_id
            """, [day]
        ) { try $0[0] }
    }
}
