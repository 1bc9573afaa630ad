import Administration
import ArgumentParser
import Authorization
import CommandOutput

struct AccessRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take an app off the list.",
        discussion: """
            For data sharing, consents stay: on the list again, the app reads again. `lanyard consent revoke` ends them. \
            For signing in, whoever uses the app is signed out of it at once, and the app is told. \
            Shows first what would end. At a terminal it asks for confirmation; in a script it needs --yes.
            """)

    @OptionGroup var options: AccessOptions
    @OptionGroup var confirmation: ConfirmationOptions

    @Argument(help: "The app: a client id or its name.")
    var app: String

    func run() async throws {
        let app = AppReference(app)
        switch options.purpose.value {
        case .dataSharing: try await options.perform(DisallowApp<DataSharing>(app: app), confirmation)
        case .signIn: try await options.perform(DisallowApp<SigningIn>(app: app), confirmation)
        }
    }
}
