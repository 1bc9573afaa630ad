import Authorization
import Directory
import Storage

extension Administrator {
    /// Where the caller works, and what they may do there.
    package struct Standing: Sendable {
        /// Nil for personal accounts.
        package let organization: Organization?
        /// The teams of app developers to which the caller belongs.
        package let teams: [Team]
        /// What the caller may do at some place of the organization, or in some team.
        package let privileges: Set<Privilege>
        /// What the caller may do in the whole organization.
        package let wholePrivileges: Set<Privilege>
        /// Whether all that the caller may do in the organization is to look after the pupils whom they teach.
        package let isTeachers: Bool
        /// The locations that the caller may change, beside whoever may change all of them.
        package let managedLocations: Set<LocationID>
        /// The locations whose classes and terms the caller may change, beside whoever may change all of them.
        package let classLocations: Set<LocationID>
        /// The roles that the caller may give somewhere.
        package let givenRoles: Set<Role>
        /// The roles that the caller may give in the whole organization.
        package let wholeRoles: Set<Role>
        /// Which of the changes that were asked about the caller has made and can still undo.
        package let changes: [Int64]
    }

    /// - Parameter changes: the numbers of changes that the caller may have made.
    /// - Throws: ``OperationError/signedOut`` for callers who cannot sign in any more.
    package func standing(after changes: [Int64] = []) async throws -> Standing {
        try await database.read { transaction in
            let authority = try authority(in: transaction)
            let open = try changes.filter { number in
                guard let record = try ChangeRecord.find(number, in: transaction) else { return false }
                return record.undoneAt == nil && record.actor == authority.actor.text
                    && authority.reaches(record.organization, record.team)
            }
            return Standing(
                organization: try authority.organization.flatMap { try Organization.find($0, in: transaction) },
                teams: authority.teams.isEmpty ? [] : try authority.knownTeams(in: transaction),
                privileges: authority.privileges, wholePrivileges: authority.wholePrivileges,
                isTeachers: authority.isTeachers, managedLocations: authority.managedLocations,
                classLocations: authority.classLocations,
                givenRoles: authority.givenRoles, wholeRoles: authority.wholeRoles, changes: open)
        }
    }

    /// Whether nobody else is an Administrator whose role has no end. Then the person keeps account and role, as
    /// ``DeactivatePerson`` and ``RemoveRole`` have it.
    /// - Throws: ``OperationError/notFound(_:_:in:)``
    package func isOnlyAdministrator(
        _ reference: PersonReference, in organization: OrganizationReference
    ) async throws -> Bool {
        try await database.read { transaction in
            let context = try context(of: ShowPerson.self, in: organization, transaction)
            let person = try reference.find(in: context, transaction)
            let roles = try RoleAssignment.inForce(of: person.id, at: context.now, in: transaction)
            guard let home = person.organizationID, roles.contains(where: { $0.role == .administrator }) else {
                return false
            }
            return try !Organization.hasAdministrator(home, besides: person.id, at: context.now, in: transaction)
        }
    }

    /// Those of the privileges that the caller has over this person.
    /// - Throws: ``OperationError/notFound(_:_:in:)``
    package func privileges(
        among privileges: Set<Privilege>, over reference: PersonReference, in organization: OrganizationReference
    ) async throws -> Set<Privilege> {
        try await database.read { transaction in
            let context = try context(of: ShowPerson.self, in: organization, transaction)
            let person = try reference.find(in: context, transaction)
            return try privileges.filter { try person.isOpen(to: context.authority, for: $0, in: transaction) }
        }
    }
}
