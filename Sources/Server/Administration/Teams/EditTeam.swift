import Authorization
import Directory
import Storage

/// Gives a team another name.
package struct RenameTeam: Change, TeamOperation {
    package typealias Answer = TeamRecord

    package static let name = "team.rename"
    package static let summary = "Gives a team another name, which people see where its apps ask them for something."
    package static let privilege = Privilege.manageTeams
    package static let route = OperationRoute(.post, "teams/{team}", below: .server)
    package static let explanations = [
        "team": TeamReference.explanation, "name": "The new name, which no other team has.",
    ]
    package static let undo = UndoRule.possible

    package let team: TeamReference
    package let name: String

    package init(team: TeamReference, name: String) {
        self.team = team
        self.name = name
    }

    package func carryOut(on team: Team, _: Void, in act: Act) throws -> TeamRecord {
        let name = try FieldRule.name.check(name, field: "team name")
        try Team.checkIsFree(name, in: act.transaction)
        try team.rename(name, in: act.transaction)
        try act.record(.teamChanged, on: team, called: name, "name")
        act.undo(by: RenameTeam(team: TeamReference(team), name: team.name))
        return try act.teamRecord(team)
    }
}

/// Removes a team that has no app.
package struct RemoveTeam: Change, TeamOperation {
    package static let name = "team.remove"
    package static let summary = """
        Removes a team that has no app. Its members are members no more, and nothing that its keys have signed is accepted.
        """
    package static let privilege = Privilege.manageTeams
    package static let route = OperationRoute(.delete, "teams/{team}", below: .server)
    package static let explanations = ["team": TeamReference.explanation]
    package static let undo = UndoRule.impossible("Its members are gone, and its keys are revoked.")
    package static let needsVersion = true

    package struct Answer: Codable, Sendable {
        /// The name of the team.
        package let removed: String
    }

    package let team: TeamReference

    package init(team: TeamReference) { self.team = team }

    package func carryOut(on team: Team, _: Void, in act: Act) throws -> Answer {
        let apps = try App.list(of: team.id, in: act.transaction)
        guard apps.isEmpty else {
            throw OperationError.refused(
                "\(team.name) has apps: \(apps.map(\.name).joined(separator: ", ")). Remove them, or hand them over, first."
            )
        }
        guard try Sandbox.find(of: team.id, in: act.transaction) == nil else {
            throw OperationError.refused(
                "\(team.name) has a sandbox. Remove it first.", remedy: .init(RemoveSandbox.name, team.publicID))
        }
        // A new team would begin to count anew. The operator is no stranger.
        guard
            try act.context.authority.isOperator || Sandbox.count(of: team.id, in: act.transaction) == 0
        else {
            throw OperationError.refused("The sandbox of \(team.name) is still being erased. Try again tomorrow.")
        }
        let members = try Team.members(of: team.id, in: act.transaction).count
        let keys = try TeamKey.list(of: team.id, in: act.transaction).count { $0.revokedAt == nil }
        try team.remove(at: act.now, in: act.transaction)
        try act.record(
            .teamRemoved, on: team, called: team.name,
            "\(members) \(members == 1 ? "member" : "members"), \(keys) \(keys == 1 ? "key" : "keys") revoked")
        return Answer(removed: team.name)
    }
}
