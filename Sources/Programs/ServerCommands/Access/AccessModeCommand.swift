import ArgumentParser
import Authorization
import CommandOutput
import Storage

struct AccessModeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mode", abstract: "Allow all apps, or only listed ones.",
        discussion: """
            Shows first what apps that are not listed would lose. At a terminal it asks for confirmation; in a \
            script it needs --yes.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption
    @OptionGroup var purpose: AccessPurposeOption
    @OptionGroup var confirmation: ConfirmationOptions

    @Argument(help: "The mode.")
    var mode: AccessRule.Mode

    func run() async throws {
        let mode = mode
        try await AccessChange(purpose: purpose.value, organization: organization.selector) { _, rule, _ in
            rule.mode == mode && rule.version > 0 ? nil : .mode(mode)
        }.run(global, output, confirmation)
    }
}
