import Directory
import Storage

/// What administrators see of a role.
package struct RoleRecord: Codable, Equatable, Sendable, Versioned {
    package let role: Role
    /// What it is called in English.
    package let title: String
    /// What its holders may do, at the places where they hold it. An Instructor may do it to the pupils whom they teach.
    package let privileges: [Privilege]
    /// What the organization may give the role, or take from it; none for a role that stays as it is.
    package let optional: [Privilege]
    /// Those of ``optional`` about which whoever has asked may decide: what they have themselves in the whole organization, for
    /// a role that they manage there.
    package let choices: [Privilege]
    /// How many people hold it, as ``Role/countHolders(in:_:)`` counts them.
    package let holders: Int
    /// Whether the organization has changed what it may do.
    package let isChanged: Bool
    /// See ``OperationSubject/version(in:)``.
    package let version: String

    init(
        _ role: Role, of organization: Organization, in roles: RolePrivileges, for authority: Authority,
        _ transaction: some Transaction
    ) throws {
        let privileges = roles.privileges(of: role)
        self.role = role
        holders = try role.countHolders(in: organization.id, transaction)
        let isTheirs = ManagedRole(organization: organization, role: role, roles: roles)
            .isOpen(to: authority, for: SetRole.privilege, in: transaction)
        choices =
            isTheirs
            ? role.optionalPrivileges.filter { authority.has($0, in: organization.id) }.inOrder : []
        title = role.title
        self.privileges = privileges.inOrder
        optional = role.optionalPrivileges.inOrder
        isChanged = privileges != role.usualPrivileges
        version = privileges.version(of: role)
    }
}

/// A role of an organization, as whoever changes it sees it. Whoever changes what a role may do must manage its holders in the
/// whole organization, and may do there all that the role may: nobody weakens a role that is larger than theirs. Programs
/// change none: each was given what it may do, and would give itself more.
package struct ManagedRole: OperationSubject {
    let organization: Organization
    let role: Role
    /// What this role and the others may do.
    let roles: RolePrivileges
    var privileges: Set<Privilege> { roles.privileges(of: role) }

    package var subjectOrganization: OrganizationID? { organization.id }
    package var auditName: String { organization.auditName }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool {
        (authority.isOperator || authority.person != nil)
            && authority.manages(role, of: organization.id, by: privilege)
            && privileges.isSubset(of: authority.wholePrivileges)
    }

    package func version(in transaction: some Transaction) -> String? { privileges.version(of: role) }
}

extension Set<Privilege> {
    /// Changes with what a role may do.
    fileprivate func version(of role: Role) -> String {
        .version(of: "\(role.rawValue)\u{0}\(text)".utf8)
    }
}
