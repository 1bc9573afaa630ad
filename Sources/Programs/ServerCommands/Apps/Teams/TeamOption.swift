import ArgumentParser
import Authorization
import CommandOutput
import Storage

/// `--team`, for commands that work on one team.
struct TeamOption: ParsableArguments {
    @Option(help: "The team, by id or name. May be left out when there is only one.")
    var team: String?

    var selector: TeamSelector { TeamSelector(text: team) }
}

/// Finds a team by what was typed for it.
struct TeamSelector: Sendable {
    /// The 10-character id or an exact name; nil selects the only team there is.
    let text: String?

    /// - Throws: ``Failure`` if there is no such team, or several.
    func find(in transaction: some Transaction) throws -> Team {
        let all = try Team.list(in: transaction)
        guard let text else {
            if all.count == 1 { return all[0] }
            throw Failure(
                all.isEmpty
                    ? Self.choice(of: all)
                    : "There are \(all.count) teams; say which with --team. \(Self.choice(of: all))")
        }
        if let found = try Team.find(publicID: text, in: transaction) { return found }
        let named = all.filter { $0.name == text }
        switch named.count {
        case 1: return named[0]
        case 0: throw Failure("There is no team “\(text)”. \(Self.choice(of: all))")
        default:
            throw Failure("\(named.count) teams are called “\(text)”; name one by its id. \(Self.choice(of: named))")
        }
    }

    private static func choice(of teams: [Team]) -> String {
        guard !teams.isEmpty else { return "There is no team yet. Make one with `lanyard app team create NAME`." }
        return "There is:\n\n" + Table.text(["ID", "NAME"], teams.map { [$0.publicID, $0.name] })
    }
}
