import Authorization
import Directory
import Storage

/// Lists the teams of which the caller is a member; for the operator, all teams.
package struct ListTeams: Inquiry {
    package static let name = "team.list"
    package static let summary = "Lists the teams of which you are a member; for the operator, all teams."
    package static let privilege = Privilege.manageTeams
    package static let route = OperationRoute(.get, "teams", below: .server)
    package static let explanations: [String: String] = [:]

    package struct Answer: Codable, Sendable {
        package let teams: [TeamRecord]
    }

    package init() {}

    package static func people(in answer: Answer) -> [PersonID]? { answer.teams.flatMap(\.people) }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> TeamListing {
        try TeamListing(nil, for: Self.privilege, in: context, transaction)
    }

    package func answer(
        about listing: TeamListing, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        Answer(teams: try listing.teams.map { try TeamRecord($0, at: context.now, in: transaction) })
    }
}

/// Shows a team with its members.
package struct ShowTeam: Inquiry, TeamOperation {
    package typealias Answer = TeamRecord

    package static let name = "team.show"
    package static let summary = "Shows a team: its members, its apps, and the apps that others offer it."
    package static let privilege = Privilege.manageTeams
    package static let route = OperationRoute(.get, "teams/{team}", below: .server)
    package static let explanations = ["team": TeamReference.explanation]

    package let team: TeamReference

    package init(team: TeamReference) { self.team = team }

    package static func people(in answer: TeamRecord) -> [PersonID]? { answer.people }

    package func answer(
        about team: Team, in context: OperationContext, _ transaction: some Transaction
    ) throws -> TeamRecord { try TeamRecord(team, at: context.now, in: transaction) }
}
