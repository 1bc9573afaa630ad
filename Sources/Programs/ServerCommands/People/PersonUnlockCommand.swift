import Administration
import ArgumentParser
import CommandOutput

struct PersonUnlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Let a person sign in again at once, after too many wrong passwords.",
        discussion: """
            Nobody has to wait any more, and the wrong passwords are forgotten. The password stays as it is; `lanyard \
            person password` gives a new one.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    func run() async throws {
        let report = try await person.perform(UnlockPerson.init, global)
        try output.print(report) { "\(report.fullName) (\(report.userName)) can sign in at once." }
    }
}
