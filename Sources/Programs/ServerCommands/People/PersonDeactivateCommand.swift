import Administration
import ArgumentParser
import CommandOutput

struct PersonDeactivateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deactivate",
        abstract: "Keep a person out: no sign-in, and apps do not see the person.",
        discussion: """
            All sessions of the person end, their registered devices are removed, and the apps that they used are \
            notified. The record stays. After `lanyard person reactivate` the person has to sign in again everywhere.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    func run() async throws {
        let report = try await person.perform(DeactivatePerson.init, global)
        try output.print(report) { "\(report.fullName) (\(report.userName)) is deactivated." }
    }
}
