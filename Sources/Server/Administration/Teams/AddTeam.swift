import Authorization
import Directory
import Storage

/// Makes a team. Whoever makes it becomes its first member, but for the operator.
package struct AddTeam: Change {
    package typealias Answer = TeamRecord

    package static let name = "team.add"
    package static let summary = """
        Makes a team of app developers, whose first member you are. The settings of the server say who may. Each team \
        knows people by ids of its own.
        """
    package static let privilege = Privilege.joinTeams
    package static let route = OperationRoute(.post, "teams", below: .server)
    package static let explanations = ["name": "The name, such as Quizzler Inc., which no other team has."]
    package static let undo = UndoRule.possible

    /// In how many teams a person can be who makes another one.
    static let teamsMax = 20

    package let name: String

    package init(name: String) { self.name = name }

    package func subject(
        in context: OperationContext, _ transaction: some Transaction
    ) throws -> TeamFounding { try TeamFounding(in: context, transaction) }

    package func carryOut(on _: TeamFounding, _: Void, in act: Act) throws -> TeamRecord {
        let (authority, transaction) = (act.context.authority, act.transaction)
        // The name in the form in which it is stored, so that it can be compared with stored names.
        let name = try FieldRule.name.check(name, field: "team name")
        try Team.checkIsFree(name, in: transaction)
        guard authority.teams.count < Self.teamsMax else {
            throw OperationError.refused(
                "You are a member of \(authority.teams.count) teams. Leave one before you make another.")
        }
        let team = try Team.insert(
            name: name, at: act.now, from: act.surroundings, under: act.context.services.masterKey, in: transaction)
        try act.record(.teamCreated, on: team, called: name)
        if let person = authority.person {
            try team.add(member: person, in: transaction)
            try act.record(.teamChanged, on: team, called: name, "member person:\(person.rawValue) added")
        }
        // Recording how to undo this looks the team up with the authority that the caller had before: a person becomes
        // a member only now, so only the operator, who needs no membership, can undo it.
        if authority.isOperator { act.undo(by: RemoveTeam(team: TeamReference(team))) }
        return try act.teamRecord(team)
    }
}

extension Team {
    /// - Throws: ``OperationError/refused(_:remedy:)`` if a team has the name.
    static func checkIsFree(_ name: String, in transaction: some Transaction) throws {
        guard try !list(in: transaction).contains(where: { $0.name == name }) else {
            throw OperationError.refused("There is a team “\(name)” already. Choose another name.")
        }
    }
}

/// A team that is about to be made.
package struct TeamFounding: OperationSubject {
    private let isAllowed: Bool

    package var subjectOrganization: OrganizationID? { nil }
    package var isOpenToAnybody: Bool { true }
    package var auditName: String { "teams" }

    init(in context: OperationContext, _ transaction: some Transaction) throws {
        try self.init(by: context.authority, under: context.services.developers.founding, transaction)
    }

    init(by authority: Authority, under founding: DeveloperRules.Founding, _ transaction: some Transaction) throws {
        isAllowed =
            switch founding {
            case .nobody: false
            case .invited: !authority.teams.isEmpty
            case .anyone: try authority.person.map { try $0.mayDevelop(in: transaction) } ?? false
            }
    }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.isOperator || isAllowed && authority.has(privilege) }
}

extension PersonID {
    /// Pupils make and join no team by themselves, because the members of a team see each other's user names. People of a
    /// sandbox do not exist, and one team could make others through them. The operator can make anybody a member all the
    /// same.
    func mayDevelop(in transaction: some Transaction) throws -> Bool {
        try !Organization.isSandbox(of: self, in: transaction)
            && !RoleAssignment.recorded(of: self, in: transaction).contains { $0.role == .student }
    }
}
