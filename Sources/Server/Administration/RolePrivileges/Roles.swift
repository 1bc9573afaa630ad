import Directory
import Storage

/// Lists what each role may do in an organization.
package struct ListRoles: Inquiry {
    package static let name = "role.list"
    package static let summary = "Lists what each role may do in the organization, and what of it can be changed."
    package static let privilege = Privilege.manageOrganization
    package static let route = OperationRoute(.get, "roles")
    package static let explanations: [String: String] = [:]

    package struct Answer: Codable, Sendable {
        /// The roles that people of the organization can have.
        package let roles: [RoleRecord]

        /// Whose holders would manage whom no longer after the change.
        package func managementLost(by change: SetRole) -> [(role: Role, managed: Role)] {
            let before = roles.reduce(RolePrivileges()) { $0.with(Set($1.privileges), of: $1.role) }
            let privileges = before.privileges(of: change.role).union(change.give ?? []).subtracting(change.take ?? [])
            let after = before.with(privileges, of: change.role)
            return roles.map(\.role).flatMap { role in
                let lost = before.managedRoles(of: role).subtracting(after.managedRoles(of: role))
                return roles.map(\.role).filter(lost.contains).map { (role, $0) }
            }
        }
    }

    package init() {}

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let found = try RolePrivileges.find(of: organization.id, in: transaction)
        return Answer(
            roles: try Role.allCases.filter { $0.isOffered(by: organization.kind) }.map {
                try RoleRecord($0, of: organization, in: found, for: context.authority, transaction)
            })
    }
}

/// Changes what the holders of a role may do, for all of them and from their next step on.
package struct SetRole: Change {
    package typealias Answer = RoleRecord

    package static let name = "role.set"
    package static let summary = """
        Changes what the holders of a role may do, for all of them and from their next step on. Nobody gives or takes a privilege \
        that they lack.
        """
    package static let privilege = Privilege.manageOrganization
    package static let route = OperationRoute(.post, "roles/{role}")
    package static let explanations = [
        "role": "The role, such as `site_manager`.",
        "give": "Privileges that its holders have from now on; each is one of the role's `optional`.",
        "take": "Privileges that they have no longer; each is one of the role's `optional`.",
    ]
    package static let undo = UndoRule.possible
    package static let mayChangeNothing = true
    package static let hasBulkForm = false

    package let role: Role
    package let give: [Privilege]?
    package let take: [Privilege]?

    package init(role: Role, give: [Privilege]? = nil, take: [Privilege]? = nil) {
        self.role = role
        self.give = give
        self.take = take
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> ManagedRole {
        let organization = try context.organizationToChange(transaction)
        return ManagedRole(
            organization: organization, role: role,
            roles: try RolePrivileges.find(of: organization.id, in: transaction))
    }

    package func carryOut(on subject: ManagedRole, _: Void, in act: Act) throws -> RoleRecord {
        let organization = subject.organization
        guard role.isOffered(by: organization.kind) else {
            throw DirectoryError.roleNotOffered(role, organization.kind)
        }
        let (given, taken) = (Set(give ?? []), Set(take ?? []))
        try check(given, called: "list “give”")
        try check(taken, called: "list “take”")
        if let both = given.intersection(taken).inOrder.first {
            throw OperationError.invalid(field: "list “take”", reason: "has \(both.rawValue), which is to be given too")
        }
        let after = subject.privileges.union(given).subtracting(taken)
        let (new, gone) = (after.subtracting(subject.privileges), subject.privileges.subtracting(after))
        for privilege in new.union(gone).inOrder
        where !act.context.authority.has(privilege, in: organization.id) {
            throw OperationError.forbidden(privilege)
        }
        let record = try RoleRecord(
            role, of: organization, in: subject.roles.with(after, of: role), for: act.context.authority, act.transaction
        )
        guard !new.isEmpty || !gone.isEmpty else { return record }
        try RolePrivileges.put(after, of: role, for: organization.id, in: act.transaction)
        let changes = (new.isEmpty ? [] : ["given \(new.text)"]) + (gone.isEmpty ? [] : ["taken \(gone.text)"])
        try act.record(
            .rolePrivilegesChanged, on: subject, called: role.title,
            ([role.rawValue] + changes).joined(separator: "; "))
        act.undo(by: SetRole(role: role, give: gone.inOrder, take: new.inOrder))
        return record
    }

    /// Checks that the organization may decide about the privileges.
    private func check(_ privileges: Set<Privilege>, called field: String) throws {
        let optional = role.optionalPrivileges
        guard let fixed = privileges.subtracting(optional).inOrder.first else { return }
        throw OperationError.invalid(
            field: field,
            reason: optional.isEmpty
                ? "has \(fixed.rawValue), but what \(role.title) may do is fixed"
                : "has \(fixed.rawValue), about which nobody decides for \(role.title), only about "
                    + optional.inOrder.map(\.rawValue).joined(separator: ", "))
    }
}
