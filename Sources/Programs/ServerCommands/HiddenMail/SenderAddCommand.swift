import Administration
import ArgumentParser
import CommandOutput
import HiddenMail

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
        let record = try await Deployment.administrate(global, addsSenders: true) { administrator in
            try await administrator.perform(AddSender(team: team.reference(administrator), sender: name)).answer
        }
        try output.print(record) { "Mail from \(record.name) is taken from now on." }
    }
}
