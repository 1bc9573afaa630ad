import Directory
import Storage

/// What each role may do in an organization: its usual privileges, and what the organization has changed of them.
///
/// Changes are kept as differences, so that a privilege that is new in a later version comes to the roles that usually have
/// it.
package struct RolePrivileges: Equatable, Sendable {
    private struct Difference: Equatable, Sendable {
        var given: Set<Privilege>
        var taken: Set<Privilege>
    }

    private var differences: [Role: Difference] = [:]

    /// - Parameter organization: nil for personal accounts, which hold no roles.
    package static func find(of organization: OrganizationID?, in transaction: some Transaction) throws
        -> RolePrivileges
    {
        guard let organization else { return RolePrivileges() }
        let rows = try transaction.all(
            "SELECT role, given, taken FROM role_privileges WHERE organization_id = $1", [organization]
        ) { row in
            (
                try row["role"] as Role,
                Difference(given: Set(stored: try row["given"]), taken: Set(stored: try row["taken"]))
            )
        }
        return RolePrivileges(differences: Dictionary(uniqueKeysWithValues: rows))
    }

    package func privileges(of role: Role) -> Set<Privilege> {
        guard let difference = differences[role] else { return role.usualPrivileges }
        // What was optional in an earlier version, and is fixed in this one, does not count any more.
        let optional = role.optionalPrivileges
        return role.usualPrivileges
            .union(difference.given.intersection(optional))
            .subtracting(difference.taken.intersection(optional))
    }

    /// The roles of the accounts that its holders may create and change, and for which they may issue passwords. Whoever
    /// gives somebody a role, or a password, could do what the other may do. So a holder manages no role that has more than
    /// theirs because of a change: one that was given what theirs lacks, or that has what was taken from theirs.
    func managedRoles(of role: Role) -> Set<Role> {
        let own = privileges(of: role)
        return role.managedRoles.filter { other in
            let lacking = privileges(of: other).subtracting(own)
            return lacking.isSubset(of: other.usualPrivileges.subtracting(role.usualPrivileges))
        }
    }

    /// The roles that have a privilege.
    func roles(with privilege: Privilege) -> [Role] {
        Role.allCases.filter { privileges(of: $0).contains(privilege) }
    }

    /// Gives a role these privileges, as far as they are optional for it, and takes all other optional ones from it.
    static func put(
        _ privileges: Set<Privilege>, of role: Role, for organization: OrganizationID, in transaction: WriteTransaction
    ) throws {
        let (usual, optional) = (role.usualPrivileges, role.optionalPrivileges)
        let given = privileges.intersection(optional).subtracting(usual)
        let taken = usual.intersection(optional).subtracting(privileges)
        guard !given.isEmpty || !taken.isEmpty else {
            try transaction.execute(
                "DELETE FROM role_privileges WHERE organization_id = $1 AND role = $2", [organization, role])
            return
        }
        try transaction.execute(
            """
            INSERT INTO role_privileges (organization_id, role, given, taken) VALUES ($1, $2, $3, $4)
            ON CONFLICT (organization_id, role) DO UPDATE SET given = EXCLUDED.given, taken = EXCLUDED.taken
            """, [organization, role, given.text, taken.text])
    }
}
