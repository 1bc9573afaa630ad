import Foundation
import Storage

/// Who decides for a whole organization what apps may read about it.
extension Person {
    /// A person's roles with regard to that decision.
    package struct SharingRoles: Equatable, Sendable {
        /// Roles that entitle the person to decide; empty if there is none.
        package let deciding: [Role]
        /// Names of the places at which the person has such a role, if that is not the whole organization.
        package let places: [String]
    }

    /// A role counts for the place at which it is held. Apps read the data of the whole organization, so a person needs
    /// a role at the organization itself, or at each of its locations.
    package func rolesForSharing(at now: Date, in transaction: some Transaction) throws -> SharingRoles {
        guard let organizationID else { return SharingRoles(deciding: [], places: []) }
        let held = try RoleAssignment.inForce(of: id, at: now, in: transaction).filter(\.role.mayShareData)
        func roles(_ assignments: [RoleAssignment]) -> [Role] {
            Role.allCases.filter { role in assignments.contains { $0.role == role } }
        }
        guard !held.isEmpty else { return SharingRoles(deciding: [], places: []) }
        let places = Set(held.compactMap(\.location))
        let locations = try Location.names(of: organizationID, in: transaction)
        let coversAll = !locations.isEmpty && locations.allSatisfy { places.contains($0.id) }
        let deciding = roles(coversAll ? held : held.filter { $0.location == nil })
        return SharingRoles(
            deciding: deciding,
            places: deciding.isEmpty ? locations.filter { places.contains($0.id) }.map(\.name) : [])
    }

    /// Roles that entitle the person to decide what apps may read about the whole organization; empty if there is none.
    package func rolesThatShareData(at now: Date, in transaction: some Transaction) throws -> [Role] {
        try rolesForSharing(at: now, in: transaction).deciding
    }

    /// SQL condition: whether `person` decides for the whole organization `$1` with one of the roles, by the rule of
    /// ``rolesForSharing(at:in:)``.
    /// - Parameter now: the placeholder of the time.
    static func decidesForAll(with roles: [Role], at now: String) -> String {
        let held = """
            SELECT 1 FROM role_assignment AS held
            WHERE held.person_id = person.id AND held.role IN (\(roles.sqlList))
                AND \(RolePeriod.isInForce("held", at: now)) AND held.location_id
            """
        let locations = """
            SELECT 1 FROM location WHERE location.organization_id = $1 AND location.archived_at IS NULL
            """
        return """
            (
                EXISTS (\(held) = 0)
                OR (EXISTS (\(locations)) AND NOT EXISTS (\(locations) AND NOT EXISTS (\(held) = location.id)))
            )
            """
    }
}

extension Location {
    /// Names of all locations by id. A school district has a few hundred at most, so they fit into memory.
    static func names(
        of organization: OrganizationID, in transaction: some Transaction
    ) throws -> [(id: LocationID, name: String)] {
        try transaction.all(
            "SELECT id, name FROM location WHERE organization_id = $1 AND archived_at IS NULL ORDER BY id",
            [organization]
        ) { (try $0["id"], try $0["name"]) }
    }
}

extension Person {
    /// The people who decide for the whole organization with one of the roles, by the rule of
    /// ``rolesForSharing(at:in:)``, and can sign in.
    package static func list(
        decidingWith roles: [Role], for organization: OrganizationID, at now: Date, in transaction: some Transaction
    ) throws -> [Person] {
        try transaction.all(
            """
            SELECT \(columns) FROM person
            WHERE organization_id = $1 AND state <> 'deactivated'
                -- So that the few who hold such a role are looked at, and not everybody.
                AND id IN (SELECT person_id FROM role_assignment WHERE organization_id = $1 AND role IN (\(roles.sqlList)))
                AND \(decidesForAll(with: roles, at: "$2"))
            ORDER BY id
            """, [organization, now], Person.init)
    }
}
