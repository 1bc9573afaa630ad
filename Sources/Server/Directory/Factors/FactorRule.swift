import Foundation
import Storage

/// Whom an organization requires to have a second factor, and from when on.
package struct FactorRule: Equatable, Sendable {
    package enum Holder: String, Codable, CaseIterable, Comparable, Sendable {
        case administrator
        case siteManager = "site_manager"
        case peopleManager = "people_manager"
        /// A member of the team of an app.
        case teamMember = "team_member"

        package static func < (one: Holder, other: Holder) -> Bool { one.rawValue < other.rawValue }

        /// Nil for members of teams, who may be anybody.
        package var role: Role? {
            switch self {
            case .administrator: .administrator
            case .siteManager: .siteManager
            case .peopleManager: .peopleManager
            case .teamMember: nil
            }
        }
    }

    /// Who has to have one, and since when.
    private let starts: [Holder: Date]
    /// How many days people have to set one up, from when they have to.
    package let graceDays: Int

    package var holders: Set<Holder> { Set(starts.keys) }
    /// Since when somebody has to have one, the first of them; nil if nobody has to.
    package var since: Date? { starts.values.min() }

    package static let graceDaysMax = 90

    package static func find(of organization: OrganizationID, in transaction: some Transaction) throws -> FactorRule {
        try transaction.first(
            "SELECT factor_holders, factor_grace_days, factors_since FROM organization WHERE id = $1", [organization]
        ) { row in
            let since: Date? = try row["factors_since"]
            return FactorRule(
                starts: starts(try row["factor_holders"], others: since ?? .distantPast),
                graceDays: try row["factor_grace_days"])
        } ?? FactorRule(starts: [:], graceDays: 14)
    }

    /// - Parameters:
    ///   - text: holders, each with the second since which it has to have one: `administrator:1788220800 site_manager`.
    ///   - others: since when those have to that have no time of their own, as older versions have written them.
    private static func starts(_ text: String, others: Date) -> [Holder: Date] {
        var starts: [Holder: Date] = [:]
        for word in text.split(separator: " ") {
            let parts = word.split(separator: ":", maxSplits: 1)
            guard let holder = Holder(rawValue: String(parts[0])) else { continue }
            starts[holder] =
                parts.dropFirst().first.flatMap { TimeInterval($0) }.map(Date.init(timeIntervalSince1970:)) ?? others
        }
        return starts
    }

    /// Holders who are new to the rule get all days of grace from now on. For the others the days go on as they were.
    /// - Throws: ``DirectoryError/invalidField(field:reason:)``
    package func put(
        holders new: Set<Holder>, graceDays: Int, for organization: OrganizationID, at now: Date,
        in transaction: WriteTransaction
    ) throws {
        guard (0...Self.graceDaysMax).contains(graceDays) else {
            throw DirectoryError.invalidField(
                field: "days until a second factor is needed", reason: "must be 0 to \(Self.graceDaysMax)")
        }
        let starts = new.map { ($0, self.starts[$0] ?? now) }.sorted { $0.0 < $1.0 }
        let text = starts.map { "\($0.rawValue):\(Int64($1.timeIntervalSince1970.rounded(.down)))" }
        try transaction.execute(
            "UPDATE organization SET factor_holders = $2, factor_grace_days = $3, factors_since = $4 WHERE id = $1",
            [organization, text.joined(separator: " "), graceDays, starts.map(\.1).max()])
    }

    /// Whether a person cannot sign in without a second factor any more.
    static func isDue(for person: Person, at now: Date, in transaction: some Transaction) throws -> Bool {
        try dueDate(for: person, at: now, in: transaction).map { $0 <= now } ?? false
    }

    /// From when on a person cannot sign in without a second factor; nil if they can.
    package static func dueDate(for person: Person, at now: Date, in transaction: some Transaction) throws -> Date? {
        guard let organization = person.organizationID else { return nil }
        let rule = try find(of: organization, in: transaction)
        guard let since = try rule.start(for: person.id, at: now, in: transaction) else { return nil }
        return since.addingTimeInterval(Double(rule.graceDays) * 86_400)
    }

    /// How many people of the organization have to have a second factor, and have neither a passkey nor one-time codes.
    package func countMissing(in organization: OrganizationID, at now: Date, _ transaction: some Transaction) throws
        -> Int
    {
        let roles = holders.compactMap(\.role)
        let managers = """
            SELECT person_id FROM role_assignment
            WHERE organization_id = $1 AND role IN (\(roles.sqlList))
              AND \(RolePeriod.isInForce("role_assignment", at: "$2"))
            """
        let members = "SELECT person_id FROM team_member"
        let holding = [roles.isEmpty ? nil : managers, holders.contains(.teamMember) ? members : nil].compactMap(\.self)
        guard !holding.isEmpty else { return 0 }
        return try transaction.first(
            """
            SELECT COUNT(*) FROM person AS p
            WHERE p.id IN (\(holding.joined(separator: " UNION "))) AND p.organization_id = $1
                AND p.state <> 'deactivated'
                AND NOT EXISTS (SELECT 1 FROM passkey AS k WHERE k.person_id = p.id)
                AND NOT EXISTS (SELECT 1 FROM one_time_code_key AS k WHERE k.person_id = p.id)
            """, [organization, now]
        ) { try $0[0] } ?? 0
    }

    /// Since when a person has to have one, by the first that demands it; nil if nothing does.
    private func start(for person: PersonID, at now: Date, in transaction: some Transaction) throws -> Date? {
        guard !starts.isEmpty else { return nil }
        let held = Set(try RoleAssignment.inForce(of: person, at: now, in: transaction).map(\.role))
        var found = starts.filter { holder, _ in holder.role.map(held.contains) ?? false }
        if let since = starts[.teamMember],
            try transaction.exists("SELECT 1 FROM team_member WHERE person_id = $1", [person])
        {
            found[.teamMember] = since
        }
        return found.values.min()
    }
}
