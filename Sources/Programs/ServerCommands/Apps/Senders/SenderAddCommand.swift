import ArgumentParser
import Authorization
import CommandOutput
import Directory
import ServerHTTP
import Storage

struct SenderAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Let a domain or an address write to the hidden addresses of a team.",
        discussion: "A subdomain is a domain of its own. A team has up to \(RelaySender.countMax) senders.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var team: TeamOption

    @Argument(help: "A domain such as mail.quizzler.example, or an address.")
    var name: String

    func run() async throws {
        let selector = team.selector
        let name = try RelaySender.check(name)
        let report = try await Deployment.withExisting(global) { deployment, settings in
            let now = deployment.now
            let relayDomain = try settings.relay()?.domain
            return try await deployment.database.write { transaction in
                let team = try selector.find(in: transaction)
                if try RelaySender.insert(
                    name, for: team.id, relayDomain: relayDomain, at: now, in: transaction)
                {
                    try AuditEntry(
                        .teamChanged, by: .operator, on: "team:\(team.publicID)", outcome: .done,
                        detail: "sender \(name) added", from: .commandLine
                    ).append(to: nil, at: now, in: transaction)
                }
                return try RelaySender.list(of: team.id, in: transaction).first { $0.name == name }
                    .map(SenderReport.init)
            }
        }
        try output.print(report) { "Mail from \(name) is taken from now on." }
    }
}
