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

        fileprivate var role: Role? {
            switch self {
            case .administrator: .administrator
            case .siteManager: .siteManager
            case .peopleManager: .peopleManager
            case .teamMember: nil
            }
        }
    }

    package let holders: Set<Holder>
    /// How many days people have to set one up, counted from ``since``.
    package let graceDays: Int
    /// When the rule last began to concern somebody whom it had not concerned before; nil if it concerns nobody.
    package let since: Date?

    package static let graceDaysMax = 90

    package static func find(of organization: OrganizationID, in transaction: some Transaction) throws -> FactorRule {
        try transaction.first(
            "SELECT factor_holders, factor_grace_days, factors_since FROM organization WHERE id = $1", [organization]
        ) { row in
            let holders: String = try row["factor_holders"]
            return FactorRule(
                holders: Set(holders.split(separator: " ").compactMap { Holder(rawValue: String($0)) }),
                graceDays: try row["factor_grace_days"], since: try row["factors_since"])
        } ?? FactorRule(holders: [], graceDays: 14, since: nil)
    }

    /// Stores the rule. If it concerns anybody whom it has not concerned before, all days of grace begin again, for
    /// everybody.
    /// - Throws: ``DirectoryError/invalidField(field:reason:)``
    package func put(
        holders new: Set<Holder>, graceDays: Int, for organization: OrganizationID, at now: Date,
        in transaction: WriteTransaction
    ) throws {
        guard (0...Self.graceDaysMax).contains(graceDays) else {
            throw DirectoryError.invalidField(
                field: "days until a second factor is needed", reason: "must be 0 to \(Self.graceDaysMax)")
        }
        let since = new.isEmpty ? nil : new.isSubset(of: holders) ? self.since : now
        try transaction.execute(
            "UPDATE organization SET factor_holders = $2, factor_grace_days = $3, factors_since = $4 WHERE id = $1",
            [organization, new.map(\.rawValue).sorted().joined(separator: " "), graceDays, since])
    }

    /// From when on a person cannot sign in without a second factor; nil if they can.
    package static func dueDate(for person: Person, in transaction: some Transaction) throws -> Date? {
        guard let organization = person.organizationID else { return nil }
        let rule = try find(of: organization, in: transaction)
        guard let since = rule.since, try rule.concerns(person.id, in: transaction) else { return nil }
        return since.addingTimeInterval(Double(rule.graceDays) * 86_400)
    }

    /// How many people of the organization have to have a second factor, and have neither a passkey nor one-time codes.
    package func countMissing(in organization: OrganizationID, _ transaction: some Transaction) throws -> Int {
        let roles = holders.compactMap(\.role?.rawValue)
        let managers = """
            SELECT person_id FROM role_assignment
            WHERE organization_id = $1 AND role IN (\(roles.map { "'\($0)'" }.joined(separator: ", ")))
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
            """, [organization]
        ) { try $0[0] } ?? 0
    }

    private func concerns(_ person: PersonID, in transaction: some Transaction) throws -> Bool {
        let roles = Set(holders.compactMap(\.role))
        if !roles.isEmpty,
            try RoleAssignment.list(of: person, in: transaction).contains(where: { roles.contains($0.role) })
        {
            return true
        }
        return try holders.contains(.teamMember)
            && transaction.exists("SELECT 1 FROM team_member WHERE person_id = $1", [person])
    }
}
