import Directory
import Storage

/// All people, classes or other records of an organization. Each caller gets the part that they may see.
package struct Listing: OperationSubject {
    /// The organization whose records are listed; nil for personal accounts.
    let organization: Organization?
    package var subjectOrganization: OrganizationID? { organization?.id }
    package var auditName: String { organization.map { "organization:\($0.id.rawValue)" } ?? "personal accounts" }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege) }
}

/// An organization as a whole.
extension Organization: OperationSubject {
    package var subjectOrganization: OrganizationID? { id }
    package var auditName: String { "organization:\(id.rawValue)" }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: id) }
}

extension Person: OperationSubject {
    package var subjectOrganization: OrganizationID? { organizationID }
    package var auditName: String { "person:\(id.rawValue)" }

    package func version(in transaction: some Transaction) throws -> String? {
        try PersonRecord(self, in: transaction).version
    }

    /// A person can have roles at several places. For reading the record, and for asking who has read it, the privilege
    /// at one of them is enough. For passwords too, but whoever issues one could sign in as the person, so all roles of
    /// the person must be roles that the caller manages there. All other privileges change the account as a whole, so
    /// each role must be managed at its own place. A person without roles belongs to the whole organization. A
    /// teacher's privileges reach the pupils whom they teach. Seeing and removing registered devices follows the rule
    /// for reading the record: at worst somebody has to register one again. A code for one is another matter, see
    /// ``DeviceOwner``.
    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) throws -> Bool {
        if authority.isOperator { return true }
        guard organizationID == authority.organization else { return false }
        let standings = authority.standings(privilege)
        guard !standings.isEmpty else { return false }
        let held = try RoleAssignment.recorded(of: id, in: transaction)
        let places = held.isEmpty ? [nil] : held.map(\.location)
        func manages(_ standing: Authority.Standing, _ role: Role) -> Bool { standing.managedRoles.contains(role) }
        switch privilege {
        case .readPeople, .issuePasswords, .readAudit, .manageDevices:
            return try standings.contains { standing in
                guard privilege != .issuePasswords || held.allSatisfy({ manages(standing, $0.role) }) else {
                    return false
                }
                return if let teacher = standing.teacher {
                    try RosterClass.teaches(teacher, id, at: standing.location, in: transaction)
                } else {
                    places.contains(where: standing.covers)
                }
            }
        default:
            return held.isEmpty
                ? standings.contains { $0.location == nil && $0.teacher == nil }
                : held.allSatisfy { one in
                    standings.contains {
                        $0.teacher == nil && $0.covers(one.location) && manages($0, one.role)
                    }
                }
        }
    }
}
