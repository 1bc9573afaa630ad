import Administration
import ArgumentParser
import CommandOutput

struct PersonReactivateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reactivate", abstract: "Take back a deactivation.",
        discussion: """
            The person signs in with the former password; `lanyard person password` gives a new one. Former sessions, \
            sign-ins to apps and registered devices do not come back.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    func run() async throws {
        let report = try await person.perform(ReactivatePerson.init, global)
        try output.print(report) { "\(report.fullName) (\(report.userName)) is back. State: \(report.state.words)." }
    }
}
