import Authorization
import Directory
import Foundation
import Storage

/// The caller of an operation, and what they may do. It is read in the operation's own transaction, so that a role that
/// was taken away a moment ago does not count any more.
package struct Authority: Sendable {
    /// A role, and the place where it is held.
    struct Standing: Sendable {
        let privileges: Set<Privilege>
        let managedRoles: Set<Role>
        /// Nil for the whole organization.
        let location: LocationID?
        /// If set, the role reaches only the pupils whom this person teaches.
        let teacher: PersonID?

        func covers(_ place: LocationID?) -> Bool { location == nil || location == place }
    }

    let actor: Actor
    /// Whether the caller is the operator, who may do everything everywhere.
    let isOperator: Bool
    /// The only organization in which the caller may do anything; nil for the operator, and for the owner of a personal
    /// account, who may do nothing in any.
    let organization: OrganizationID?
    /// The teams of which the caller is a member.
    let teams: Set<TeamID>
    private let standings: [Standing]
    /// What the caller may do to the teams, and what needs no team yet.
    private let ofTeams: Set<Privilege>

    private init(
        actor: Actor, isOperator: Bool = false, organization: OrganizationID?, standings: [Standing],
        teams: Set<TeamID> = [], ofTeams: Set<Privilege> = []
    ) {
        self.actor = actor
        self.isOperator = isOperator
        self.organization = organization
        self.standings = standings
        self.teams = teams
        self.ofTeams = ofTeams
    }

    package static let `operator` = Authority(actor: .operator, isOperator: true, organization: nil, standings: [])

    /// The server itself, which imports what it was told to import. It does nothing else.
    static func schedule(of organization: OrganizationID) -> Authority {
        Authority(
            actor: .system, organization: organization,
            standings: [Standing(privileges: [.importRoster], managedRoles: [], location: nil, teacher: nil)])
    }

    /// Nil for the operator and for API clients.
    ///
    /// Swift 6.3.1 cannot compile a release where this is inlined: its optimizer ends with “Found ownership error”.
    @inline(never) var person: PersonID? { if case .person(let id) = actor { id } else { nil } }

    /// Roles give privileges in the person's organization and nowhere else, and being a member of a team gives
    /// privileges in that team and nowhere else: neither adds to the other.
    /// - Throws: ``OperationError/signedOut`` if the person cannot sign in any more.
    static func of(_ id: PersonID, at now: Date, in transaction: some Transaction) throws -> Authority {
        guard let person = try Person.find(id, in: transaction), person.state != .deactivated, !person.isErased,
            try person.organizationID.map({ try !Organization.isClosed($0, in: transaction) }) ?? true
        else { throw OperationError.signedOut }
        let teams = try Team.ids(of: id, in: transaction)
        let roles = try RolePrivileges.find(of: person.organizationID, in: transaction)
        return Authority(
            actor: .person(id), organization: person.organizationID,
            standings: try RoleAssignment.inForce(of: id, at: now, in: transaction).map { held in
                Standing(
                    privileges: roles.privileges(of: held.role), managedRoles: roles.managedRoles(of: held.role),
                    location: held.location,
                    teacher: held.role == .instructor ? id : nil)
            }, teams: teams, ofTeams: teams.isEmpty ? [.joinTeams] : Privilege.ofTeams)
    }

    /// Whether the person looks after something of their organization, so that there is a console for them.
    package static func looksAfterSomething(
        _ person: Person, at now: Date, in transaction: some Transaction
    ) throws -> Bool {
        guard let organization = person.organizationID, try !Organization.isClosed(organization, in: transaction)
        else { return false }
        let roles = try RolePrivileges.find(of: organization, in: transaction)
        return try RoleAssignment.inForce(of: person.id, at: now, in: transaction).contains {
            !roles.privileges(of: $0.role).isEmpty
        }
    }

    /// An API client. It manages everybody except Administrators.
    static func of(_ client: APIClient, in transaction: some Transaction) throws -> Authority {
        let roles = try RolePrivileges.find(of: client.organizationID, in: transaction)
        return Authority(
            actor: .client(client.clientID), organization: client.organizationID,
            standings: [
                Standing(
                    privileges: client.privileges, managedRoles: roles.managedRoles(ofProgramWith: client.privileges),
                    location: nil, teacher: nil)
            ])
    }

    /// The same authority, limited to these privileges.
    func limited(to privileges: Set<Privilege>) -> Authority {
        Authority(
            actor: actor, isOperator: isOperator, organization: organization,
            standings: standings.map {
                Standing(
                    privileges: $0.privileges.intersection(privileges), managedRoles: $0.managedRoles,
                    location: $0.location, teacher: $0.teacher)
            }, teams: teams, ofTeams: ofTeams.intersection(privileges))
    }

    // MARK: Questions

    /// All privileges of the caller, at whatever place.
    var privileges: Set<Privilege> {
        isOperator ? Set(Privilege.allCases) : standings.reduce(into: ofTeams) { $0.formUnion($1.privileges) }
    }

    /// The privileges that the caller has in the whole organization, and not for the own pupils alone.
    var wholePrivileges: Set<Privilege> {
        isOperator
            ? Set(Privilege.allCases)
            : standings.filter { $0.location == nil && $0.teacher == nil }.reduce(into: []) {
                $0.formUnion($1.privileges)
            }
    }

    /// The locations that the caller may change, beside whoever may change all of them.
    var managedLocations: Set<LocationID> { Set(standings(.manageLocations).compactMap(\.location)) }

    /// The locations whose classes and terms the caller may change.
    var classLocations: Set<LocationID> { Set(standings(.manageClasses).compactMap(\.location)) }

    /// The roles that the caller may give somewhere.
    var givenRoles: Set<Role> {
        isOperator
            ? Set(Role.allCases)
            : standings(.managePeople).filter { $0.teacher == nil }.reduce(into: []) { $0.formUnion($1.managedRoles) }
    }

    /// The roles that the caller may give in the whole organization.
    var wholeRoles: Set<Role> {
        isOperator
            ? Set(Role.allCases)
            : standings(.managePeople).filter { $0.location == nil && $0.teacher == nil }
                .reduce(into: []) { $0.formUnion($1.managedRoles) }
    }

    /// Whether the caller has the privilege at any place, or in any team.
    func has(_ privilege: Privilege) -> Bool {
        isOperator || ofTeams.contains(privilege) || !standings(privilege).isEmpty
    }

    /// Whether the caller has the privilege in a team.
    func has(_ privilege: Privilege, in team: TeamID) -> Bool {
        isOperator || teams.contains(team) && ofTeams.contains(privilege)
    }

    /// Whether the caller has the privilege in the whole organization.
    func has(_ privilege: Privilege, in organization: OrganizationID) -> Bool {
        isOperator
            || self.organization == organization
                && standings(privilege).contains { $0.location == nil && $0.teacher == nil }
    }

    /// Whether the caller has the privilege at a place.
    func has(_ privilege: Privilege, at place: LocationID?) -> Bool {
        isOperator || standings(privilege).contains { $0.covers(place) && $0.teacher == nil }
    }

    /// Whether the caller may give this role, or take it away.
    func manages(_ assignment: RoleAssignment) -> Bool {
        isOperator
            || standings(.managePeople).contains {
                $0.covers(assignment.location) && $0.managedRoles.contains(assignment.role)
            }
    }

    /// The places to which a listing is limited; nil for the whole organization.
    func reach(of privilege: Privilege) -> PersonFilter.Reach? {
        let standings = standings(privilege)
        if isOperator || standings.contains(where: { $0.location == nil && $0.teacher == nil }) { return nil }
        return PersonFilter.Reach(
            locations: Set(standings.filter { $0.teacher == nil }.compactMap(\.location)),
            teacher: standings.lazy.compactMap(\.teacher).first)
    }

    func standings(_ privilege: Privilege) -> [Standing] { standings.filter { $0.privileges.contains(privilege) } }

    /// Whether the caller is the operator, or has the privilege in the whole organization by a role that manages this one.
    func manages(_ role: Role, of organization: OrganizationID, by privilege: Privilege) -> Bool {
        isOperator
            || self.organization == organization
                && standings(privilege).contains { $0.location == nil && $0.managedRoles.contains(role) }
    }

    /// Whether the caller is the operator, or has the privilege in the whole organization by a role that may make others
    /// Administrators.
    func makesAdministrators(of organization: OrganizationID, by privilege: Privilege) -> Bool {
        manages(.administrator, of: organization, by: privilege)
    }

    /// Whether all that the caller may do in the organization is to look after the pupils whom they teach.
    var isTeachers: Bool {
        let standings = standings.filter { !$0.privileges.isEmpty }
        return !standings.isEmpty && standings.allSatisfy { $0.teacher != nil }
    }

    /// Whether the organization or the team is the caller's own, or the caller is the operator. What belongs to neither
    /// is the operator's alone.
    func reaches(_ organization: OrganizationID?, _ team: TeamID?) -> Bool {
        if isOperator { return true }
        if let team, teams.contains(team) { return true }
        return organization != nil && organization == self.organization
    }
}
