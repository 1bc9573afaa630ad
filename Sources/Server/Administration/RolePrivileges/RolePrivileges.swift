import Directory
import Storage

/// What each role may do in an organization: its usual privileges, and what the organization has changed of them.
///
/// Changes are stored as differences, so that a privilege that is new in a later version comes to the roles that usually have
/// it.
package struct RolePrivileges: Equatable, Sendable {
    /// All that a role may do which the organization has changed.
    private var changed: [Role: Set<Privilege>] = [:]

    /// - Parameter organization: nil for personal accounts, which hold no roles.
    package static func find(
        of organization: OrganizationID?, in transaction: some Transaction
    ) throws -> RolePrivileges {
        guard let organization else { return RolePrivileges() }
        let rows = try transaction.all(
            "SELECT role, given, taken FROM role_privileges WHERE organization_id = $1", [organization]
        ) { row in
            let role: Role = try row["role"]
            // What was optional in an earlier version, and is fixed in this one, does not count any more.
            let given = Set<Privilege>(stored: try row["given"]).intersection(role.optionalPrivileges)
            let taken = Set<Privilege>(stored: try row["taken"]).intersection(role.optionalPrivileges)
            return (role, role.usualPrivileges.union(given).subtracting(taken))
        }
        return RolePrivileges(changed: Dictionary(uniqueKeysWithValues: rows))
    }

    package func privileges(of role: Role) -> Set<Privilege> { changed[role] ?? role.usualPrivileges }

    /// The roles that have a privilege.
    func roles(with privilege: Privilege) -> [Role] {
        Role.allCases.filter { privileges(of: $0).contains(privilege) }
    }

    /// The same with other privileges of a role.
    func with(_ privileges: Set<Privilege>, of role: Role) -> RolePrivileges {
        var other = self
        other.changed[role] = privileges
        return other
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

/// Whose accounts somebody manages. Whoever gives an account a role, or a password, could do with it what the role may do: so
/// nobody manages a role by which they would reach what was taken from theirs. What the usual roles leave open stays open.
extension RolePrivileges {
    /// The roles of the accounts that holders of this role may create and change, and for which they may issue passwords.
    func managedRoles(of role: Role) -> Set<Role> { managedRoles(of: role, without: taken(from: role)) }

    /// The same for a program, which stands where a Site Manager of the organization does, with the privileges that it was
    /// given.
    func managedRoles(ofProgramWith privileges: Set<Privilege>) -> Set<Role> {
        managedRoles(of: .siteManager, without: taken(from: .siteManager).subtracting(privileges))
    }

    private func taken(from role: Role) -> Set<Privilege> { role.usualPrivileges.subtracting(privileges(of: role)) }

    private func managedRoles(of role: Role, without taken: Set<Privilege>) -> Set<Role> {
        role.managedRoles.filter { other in
            reachable(from: other, by: role).allSatisfy { privileges(of: $0).isDisjoint(with: taken) }
        }
    }

    /// The role, and all that its holder can give to an account, and that account to another one.
    /// - Parameter holder: whose reach is asked for, and is not taken for granted on the way.
    private func reachable(from role: Role, by holder: Role) -> Set<Role> {
        var (found, waiting): (Set<Role>, [Role]) = ([role], [role])
        while let next = waiting.popLast() {
            guard next != holder else { continue }
            let new = next.managedRoles.subtracting(found).filter {
                privileges(of: $0).isDisjoint(with: taken(from: next))
            }
            found.formUnion(new)
            waiting += new
        }
        return found
    }
}
