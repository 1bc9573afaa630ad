import Administration
import ArgumentParser
import Authorization
import CommandOutput

struct AccessModeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mode", abstract: "Allow all apps, or only listed ones.",
        discussion: """
            Shows first what apps that are not listed would lose. At a terminal it asks for confirmation; in a \
            script it needs --yes.
            """)

    @OptionGroup var options: AccessOptions
    @OptionGroup var confirmation: ConfirmationOptions

    @Argument(help: "The mode.")
    var mode: AccessRule.Mode

    func run() async throws {
        switch options.purpose.value {
        case .dataSharing: try await options.perform(SetAccessMode<DataSharing>(mode: mode), confirmation)
        case .signIn: try await options.perform(SetAccessMode<SigningIn>(mode: mode), confirmation)
        }
    }
}
