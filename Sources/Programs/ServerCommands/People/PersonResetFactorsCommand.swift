import Administration
import ArgumentParser
import CommandOutput

struct PersonResetFactorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-factors", abstract: "Remove the passkeys and codes of a person who has lost them.",
        discussion: """
            Make sure first who asks: whoever has the password signs in with it alone afterwards. The password stays, the \
            person is signed out everywhere, and a mail tells them.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    func run() async throws {
        let report = try await person.perform(ResetFactors.init, global)
        try output.print(report) {
            "\(report.fullName) (\(report.userName)) signs in with the password alone until they set up others."
        }
    }
}
