import ArgumentParser
import Authorization
import CommandOutput
import Storage

struct KeyListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the keys, revoked ones too.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Only those of this team, by id or name.")
    var team: String?

    private struct Result: Encodable {
        let keys: [KeyReport]
    }

    func run() async throws {
        let selector = team.map { TeamSelector(text: $0) }
        let keys = try await Deployment.withExisting(global) { deployment, _ in
            try await deployment.database.read { transaction in
                let teams = try selector.map { [try $0.find(in: transaction)] } ?? Team.list(in: transaction)
                return try teams.flatMap { try TeamKey.list(of: $0.id, in: transaction) }
                    .map { try KeyReport($0, in: transaction) }
            }
        }
        try output.print(Result(keys: keys)) {
            if keys.isEmpty { return "There is no key yet. `lanyard key create` makes one." }
            return Table.text(
                ["KEY ID", "NAME", "TEAM", "MADE (UTC)", "REVOKED (UTC)"],
                keys.map {
                    [$0.keyID, $0.name, $0.teamName, $0.createdAt.minuteText, $0.revokedAt?.minuteText ?? "–"]
                })
        }
    }
}
