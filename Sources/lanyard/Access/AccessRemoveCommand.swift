import ArgumentParser
import Authorization
import Directory
import Storage

struct AccessRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take an app off the list.",
        discussion: """
            For data sharing, consents stay: on the list again, the app reads again. `lanyard consent revoke` ends them. \
            For signing in, whoever uses the app is signed out of it at once, and the app is told.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption
    @OptionGroup var purpose: AccessPurposeOption

    @Argument(help: "The app: a client id or its name.")
    var app: String

    func run() async throws {
        let (selector, purpose, apps) = (organization.selector, purpose.value, AppSelector(text: app))
        let report = try await Deployment.withExisting(global) { deployment, _ in
            try await AccessReport.after(in: deployment, purpose, of: selector) { organization, rule, transaction in
                let app = try apps.find(in: transaction)
                guard rule.listed.contains(app.id) else {
                    throw Failure("\(app.name) is not on the list of \(organization.name).")
                }
                return .unlist(app.id)
            }
        }
        try output.print(report) { report.text }
    }
}
