import Administration
import ArgumentParser
import CommandOutput

/// `--team`, for commands that work on one team.
struct TeamOption: ParsableArguments {
    @Option(help: "The team, by id or name. May be left out when there is only one.")
    var team: String?

    /// - Throws: ``Failure`` if no team is named, and there is none or more than one.
    func reference(_ administrator: any Administrating) async throws -> TeamReference {
        if let team { return TeamReference(team) }
        let all = try await administrator.ask(ListTeams()).teams
        switch all.count {
        case 1: return TeamReference(all[0].id)
        case 0: throw Failure(TeamRecord.noTeam)
        default:
            throw Failure(
                "There are \(all.count) teams; say which with --team. There is:\n\n"
                    + Table.text(["ID", "NAME"], all.map { [$0.id, $0.name] }))
        }
    }
}
