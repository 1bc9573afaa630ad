import ArgumentParser
import Authorization
import CommandOutput
import Storage

struct TeamListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the teams.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    private struct Result: Encodable {
        let teams: [TeamReport]
    }

    func run() async throws {
        let teams = try await Deployment.withExisting(global) { deployment, _ in
            try await deployment.database.read { transaction in
                try Team.list(in: transaction).map { try TeamReport($0, in: transaction) }
            }
        }
        try output.print(Result(teams: teams)) {
            if teams.isEmpty { return "There is no team yet. Make one with `lanyard app team create NAME`." }
            return Table.text(TeamReport.head, teams.map(\.row))
        }
    }
}
