import Administration
import ArgumentParser
import CommandOutput

struct ConsentRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "End the consent of an organization for an app.",
        discussion: """
            The app's tokens are refused from the next call on, and the server sends it a notification. To read again \
            it needs a new consent. Therefore the command asks for confirmation at a terminal; in a script it needs \
            --yes.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var app: SharedAppArgument
    @OptionGroup var confirmation: ConfirmationOptions

    func run() async throws {
        let revoked = try await confirmation.perform(
            RevokeConsent(app: app.reference), in: app.organization.reference, global, output)
        guard let revoked else { return }
        try output.print(revoked) {
            """
            Revoked. From now on \(revoked.consent.app) reads nothing.
            \(revoked.isNotified ? "The server tells it so." : "It has no notification URL, so nobody tells it.")
            """
        }
    }
}
