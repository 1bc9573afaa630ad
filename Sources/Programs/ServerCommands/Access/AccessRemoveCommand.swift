import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Storage

struct AccessRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take an app off the list.",
        discussion: """
            For data sharing, consents stay: on the list again, the app reads again. `lanyard consent revoke` ends them. \
            For signing in, whoever uses the app is signed out of it at once, and the app is told. \
            Shows first what would end. At a terminal it asks for confirmation; in a script it needs --yes.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption
    @OptionGroup var purpose: AccessPurposeOption
    @OptionGroup var confirmation: ConfirmationOptions

    @Argument(help: "The app: a client id or its name.")
    var app: String

    func run() async throws {
        let apps = AppSelector(text: app)
        try await AccessChange(purpose: purpose.value, organization: organization.selector) {
            organization, rule, transaction in
            let app = try apps.find(in: transaction)
            guard rule.listed.contains(app.id) else {
                throw Failure("\(app.name) is not on the list of \(organization.name).")
            }
            return .unlist(app.id)
        }.run(global, output, confirmation)
    }
}
