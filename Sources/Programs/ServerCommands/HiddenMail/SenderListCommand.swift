import Administration
import ArgumentParser
import CommandOutput

struct SenderListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the senders of a team.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var team: TeamOption

    func run() async throws {
        let result = try await Deployment.administrate(global) { administrator in
            try await administrator.ask(ListSenders(team: team.reference(administrator)))
        }
        try output.print(result) {
            if result.senders.isEmpty { return "Nobody may write to the hidden addresses of this team yet." }
            return Table.text(["SENDER", "SINCE (UTC)"], result.senders.map { [$0.name, $0.createdAt.minuteText] })
        }
    }
}
