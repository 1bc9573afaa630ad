import Authorization
import Directory
import Foundation
import Storage

/// Something that an organization has to see to, and when.
package struct DueDate: Codable, Equatable, Sendable {
    package enum Kind: String, Codable, CaseIterable, Sendable {
        /// The term ends on this day; ``count`` of its classes are seen by apps.
        case termEnds = "term-ends"
        /// ``count`` people have a temporary password that is good until this day, and have not replaced it.
        case passwordsEnd = "passwords-end"
        /// An import waits for approval since this day.
        case importIsHeld = "import-is-held"
        /// A legal hold ends after this day.
        case holdEnds = "hold-ends"
        /// A rule applies to ``count`` people who have left or accounts that nobody uses, on this day.
        case retentionIsDue = "retention-is-due"
        /// The consent for an app ends on this day.
        case consentEnds = "consent-ends"
        /// ``count`` people lose the role after this day, at the location.
        case roleEnds = "role-ends"
        /// The organization is closed, and ``count`` people and all that it has are erased from this day on.
        case organizationIsErased = "organization-is-erased"
    }

    package let kind: Kind
    package let on: CalendarDay
    /// How many classes, people or imports it concerns.
    package let count: Int
    /// Nil for what concerns no single location.
    package let location: String?
    /// The name of the term.
    package let term: String?
    /// The name of the app whose consent ends.
    package var app: String?
    /// Whether those who decide were asked by mail to renew the consent; nil for anything else.
    package var isAnnounced: Bool?
    /// The id of the plan that waits for approval, by which the import is looked at, approved and discarded. Nil for
    /// anything else, and for an import of an older version.
    package var planID: String?
    /// The role that ends; nil for anything else.
    package var role: Role?
}

extension DueDate {
    /// What is found by looking at many people: temporary passwords, people who have left, and roles that end.
    static func counted(
        of organization: Organization, at now: Date, in transaction: some Transaction
    ) throws -> [DueDate] {
        try passwords(of: organization, in: transaction) + retention(of: organization, at: now, in: transaction)
            + roles(of: organization, at: now, in: transaction)
    }

    /// If there are more dates of a kind than this, they are not told apart by location: a district can have thousands.
    static let byLocationMax = 100

    /// - Parameters:
    ///   - location: the SQL expression of the location's number.
    ///   - find: counts by what it is given.
    private static func byLocation<Count>(
        _ location: String, _ find: (_ location: String) throws -> [Count]
    ) rethrows -> [Count] {
        let found = try find(location)
        return found.count > byLocationMax ? try find("CAST(0 AS BIGINT)") : found
    }

    /// The terms that are not closed, also those that are over already.
    static func terms(of organization: Organization, in transaction: some Transaction) throws -> [DueDate] {
        try Term.list(of: organization.id, in: transaction).filter { $0.closedAt == nil }.map { term in
            DueDate(
                kind: .termEnds, on: term.lastDay, count: try KeptNumbers.livingClasses(of: term, in: transaction),
                location: try name(of: term.location, in: organization, transaction), term: term.name)
        }
    }

    /// Temporary passwords by the day on which they end, and by location. A person with two locations counts at both.
    private static func passwords(of organization: Organization, in transaction: some Transaction) throws -> [DueDate] {
        func find(by location: String) throws -> [(day: Int, location: LocationID, count: Int)] {
            try transaction.all(
                """
                SELECT c.temporary_until / 86400 AS day, \(location) AS location_id, COUNT(DISTINCT p.id) AS number
                FROM credential AS c
                CROSS JOIN person AS p -- in this order, because few have a temporary password most of the year
                LEFT JOIN role_assignment AS r ON r.person_id = p.id
                WHERE c.temporary_until IS NOT NULL AND p.id = c.person_id
                    AND p.organization_id = $1 AND p.state <> 'deactivated'
                GROUP BY 1, 2
                ORDER BY 1, 2
                """,
                [organization.id]
            ) { row in
                (
                    day: try row["day"] as Int, location: try row["location_id"] as LocationID,
                    count: try row["number"] as Int
                )
            }
        }
        return try byLocation("COALESCE(r.location_id, 0)", find).map { row in
            DueDate(
                kind: .passwordsEnd, on: CalendarDay(Date(timeIntervalSince1970: Double(row.day) * 86_400)),
                count: row.count,
                location: try name(of: row.location == .none ? nil : row.location, in: organization, transaction),
                term: nil)
        }
    }

    /// One for each school that has files of its own, and one for the whole organization.
    static func heldImports(of organization: Organization, in transaction: some Transaction) throws -> [DueDate] {
        try HeldImport.list(of: organization.id, in: transaction).map { held in
            let school = held.schools.count == 1 ? held.schools.first : nil
            return DueDate(
                kind: .importIsHeld, on: CalendarDay(held.at), count: 1,
                location: try name(of: school, in: organization, transaction), term: nil, planID: held.planID)
        }
    }

    static func holds(
        of organization: Organization, at now: Date, in transaction: some Transaction
    ) throws -> [DueDate] {
        let days = try LegalHold.list(of: organization.id, in: transaction)
            .filter { $0.isInForce(at: now) }.map(\.lastDay)
        return Dictionary(grouping: days) { $0 }.map { day, holds in
            DueDate(kind: .holdEnds, on: day, count: holds.count, location: nil, term: nil)
        }
    }

    /// How many days ahead it is computed whom a retention rule will apply to.
    private static let retentionDays = 60

    /// How many people who have left are due to be erased on each of the next days.
    private static func retention(
        of organization: Organization, at now: Date, in transaction: some Transaction
    ) throws -> [DueDate] {
        guard try LegalHold.coveringAll(of: organization.id, at: now, in: transaction) == nil,
            let rule = try RetentionRule.list(of: organization.id, in: transaction)
                .first(where: { $0.kind == .leftPeople })
        else { return [] }
        // Those who are due already are erased today.
        let leavings = try RetentionRule.leavings(
            of: organization.id, before: RetentionRule.cutoff(rule.days - retentionDays, at: now), at: now,
            in: transaction)
        var counts: [CalendarDay: Int] = [:]
        for left in leavings {
            let day = CalendarDay(max(now, left.first.addingTimeInterval(Double(rule.days) * 86_400)))
            counts[day, default: 0] += left.count
        }
        return counts.map { day, count in
            DueDate(kind: .retentionIsDue, on: day, count: count, location: nil, term: nil)
        }
    }

    static func consents(
        of organization: Organization, at now: Date, in transaction: some Transaction
    ) throws -> [DueDate] {
        try Consent.list(of: organization.id, in: transaction).compactMap { consent in
            guard consent.isAlive(at: now), let lastDay = consent.lastDay else { return nil }
            return DueDate(
                kind: .consentEnds, on: lastDay, count: 1, location: nil, term: nil,
                app: try App.find(consent.appID, in: transaction)?.name, isAnnounced: consent.reminders > 0)
        }
    }

    /// How many days ahead roles that end are listed.
    private static let roleDays = 60

    /// Roles of people who can sign in, by the day on which they end, by role and by location.
    private static func roles(
        of organization: Organization, at now: Date, in transaction: some Transaction
    ) throws -> [DueDate] {
        func find(
            by location: String
        ) throws -> [(lastDay: CalendarDay, role: Role, location: LocationID, count: Int)] {
            try transaction.all(
                """
                SELECT r.ends_at, r.role, \(location) AS location_id, COUNT(*) AS number
                FROM role_assignment AS r
                JOIN person AS p ON p.id = r.person_id AND p.state <> 'deactivated'
                WHERE r.organization_id = $1 AND r.ends_at > $2 AND r.ends_at < $3
                GROUP BY 1, 2, 3
                ORDER BY 1, 3, 2
                """,
                [organization.id, now, now.addingTimeInterval(Double(roleDays) * 86_400)]
            ) { row in
                (
                    lastDay: try RolePeriod.lastDay(endingAt: row["ends_at"]), role: try row["role"] as Role,
                    location: try row["location_id"] as LocationID, count: try row["number"] as Int
                )
            }
        }
        return try byLocation("r.location_id", find).map { row in
            DueDate(
                kind: .roleEnds, on: row.lastDay, count: row.count,
                location: try name(of: row.location == .none ? nil : row.location, in: organization, transaction),
                term: nil, role: row.role)
        }
    }

    static func erasure(of organization: Organization, in transaction: some Transaction) throws -> [DueDate] {
        guard let closing = organization.closing, closing.erasedAt == nil else { return [] }
        return [
            DueDate(
                kind: .organizationIsErased, on: closing.erasesOn,
                count: try Person.countKept(of: organization.id, in: transaction), location: nil, term: nil)
        ]
    }

    private static func name(
        of location: LocationID?, in organization: Organization, _ transaction: some Transaction
    ) throws -> String? {
        try location.flatMap { try Location.find($0, in: organization.id, transaction)?.name }
    }
}
