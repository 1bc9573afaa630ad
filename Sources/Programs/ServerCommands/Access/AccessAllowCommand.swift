import Administration
import ArgumentParser
import Authorization
import CommandOutput

struct AccessAllowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allow", abstract: "Put an app on the list.",
        discussion: """
            For data sharing it can then ask for consent; the list alone lets it read nothing. For signing in, people can \
            use it from now on.

            For example:
              lanyard access allow Quizzler
              lanyard access allow Quizzler --for sign-in
            """)

    @OptionGroup var options: AccessOptions

    @Argument(help: "The app: a client id or its name.")
    var app: String

    func run() async throws {
        let app = AppReference(app)
        switch options.purpose.value {
        case .dataSharing: try await options.perform(AllowApp<DataSharing>(app: app))
        case .signIn: try await options.perform(AllowApp<SigningIn>(app: app))
        }
    }
}
