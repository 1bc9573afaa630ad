import ArgumentParser
import Authorization
import CommandOutput
import Storage

struct SenderListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the senders of a team.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var team: TeamOption

    private struct Result: Encodable {
        let teamID: String
        let senders: [SenderReport]
    }

    func run() async throws {
        let selector = team.selector
        let result = try await Deployment.withExisting(global) { deployment, _ in
            try await deployment.database.read { transaction in
                let team = try selector.find(in: transaction)
                return Result(
                    teamID: team.publicID,
                    senders: try RelaySender.list(of: team.id, in: transaction).map(SenderReport.init))
            }
        }
        try output.print(result) {
            if result.senders.isEmpty { return "Nobody may write to the hidden addresses of this team yet." }
            return Table.text(["SENDER", "SINCE (UTC)"], result.senders.map { [$0.name, $0.createdAt.minuteText] })
        }
    }
}
