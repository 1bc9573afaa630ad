import ArgumentParser
import Authorization
import Directory
import Storage

struct AccessRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take an app off the list.",
        discussion: "Consents stay: on the list again, the app reads again. `lanyard consent revoke` ends them.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The app: a client id or its name.")
    var app: String

    func run() async throws {
        let (selector, apps) = (organization.selector, AppSelector(text: app))
        let report = try await Deployment.withExisting(global) { deployment, _ in
            try await AccessReport.after(in: deployment, of: selector) { organization, rule, transaction in
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
