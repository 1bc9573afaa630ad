import Administration
import ArgumentParser
import CommandOutput

struct SenderRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take no more mail from a sender of a team.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var team: TeamOption

    @Argument(help: "The domain or address, as `lanyard app sender list` shows it.")
    var name: String

    func run() async throws {
        let answer = try await Deployment.administrate(global) { administrator in
            try await administrator.perform(RemoveSender(team: team.reference(administrator), sender: name)).answer
        }
        try output.print(answer) { "Removed \(answer.removed)." }
    }
}
