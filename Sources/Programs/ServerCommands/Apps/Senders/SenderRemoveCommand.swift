import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Storage

struct SenderRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take no more mail from a sender of a team.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var team: TeamOption

    @Argument(help: "The domain or address, as `lanyard app sender list` shows it.")
    var name: String

    private struct Result: Encodable {
        let removed: String
    }

    func run() async throws {
        let selector = team.selector
        let name = name.lowercased()
        try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            try await deployment.database.write { transaction in
                let team = try selector.find(in: transaction)
                guard try RelaySender.delete(name, of: team.id, in: transaction) else {
                    throw Failure(
                        "\(team.name) has no sender “\(name)”. `lanyard app sender list` shows those that it has.")
                }
                try AuditEntry(
                    .teamChanged, by: .operator, on: "team:\(team.publicID)", outcome: .done,
                    detail: "sender \(name) removed", from: .commandLine
                ).append(to: nil, at: now, in: transaction)
            }
        }
        try output.print(Result(removed: name)) { "Removed \(name)." }
    }
}
