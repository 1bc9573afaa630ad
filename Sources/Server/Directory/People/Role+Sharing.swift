import Storage

/// Who decides for a whole organization what apps read about it.
extension Person {
    /// What a person's roles say about that.
    package struct SharingRoles: Equatable, Sendable {
        /// The roles with which the person decides; none: they do not decide.
        package let deciding: [Role]
        /// Places for which the person has such a role, where that is not the whole organization.
        package let places: [String]
    }

    /// A role counts for the place at which it is held. An app reads everybody's data, so that deciding takes a role at
    /// the organization itself, or one at each of its locations.
    package func rolesForSharing(in transaction: some Transaction) throws -> SharingRoles {
        guard let organizationID else { return SharingRoles(deciding: [], places: []) }
        let held = try RoleAssignment.list(of: id, in: transaction).filter(\.role.mayShareData)
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

    /// The roles with which the person decides what apps read about the whole organization; none: they do not decide.
    package func rolesThatShareData(in transaction: some Transaction) throws -> [Role] {
        try rolesForSharing(in: transaction).deciding
    }

    /// Whether somebody decides for all of the organization with one of the roles, as ``rolesForSharing(in:)`` has it: a role
    /// at one school decides for that school alone. A condition on the row `person` of the organization `$1`.
    static func decidesForAll(with roles: [Role]) -> String {
        let roles = roles.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let held = """
            SELECT 1 FROM role_assignment AS held
            WHERE held.person_id = person.id AND held.role IN (\(roles)) AND held.location_id
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
    /// All locations, by id: a school district has some hundreds at most.
    static func names(
        of organization: OrganizationID, in transaction: some Transaction
    ) throws -> [(id: LocationID, name: String)] {
        try transaction.all(
            "SELECT id, name FROM location WHERE organization_id = $1 AND archived_at IS NULL ORDER BY id",
            [organization]
        ) { (try $0["id"], try $0["name"]) }
    }
}
