import Administration
import ArgumentParser
import CommandOutput

struct KeyListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the keys, revoked ones too.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Only those of this team, by id or name.")
    var team: String?

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ListKeys(team: team.map { TeamReference($0) }))
        }
        try output.print(answer) {
            let keys = answer.keys
            if keys.isEmpty { return "There is no key yet. `lanyard key create` makes one." }
            return Table.text(
                ["KEY ID", "NAME", "TEAM", "MADE (UTC)", "REVOKED (UTC)"],
                keys.map {
                    [$0.keyID, $0.name, $0.teamName, $0.createdAt.minuteText, $0.revokedAt?.minuteText ?? "–"]
                })
        }
    }
}
