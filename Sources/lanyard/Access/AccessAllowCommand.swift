import ArgumentParser
import Authorization
import Storage

struct AccessAllowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allow", abstract: "Put an app on the list.",
        discussion: "It can then ask for consent; the list alone lets it read nothing.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The app: a client id or its name.")
    var app: String

    func run() async throws {
        let (selector, apps) = (organization.selector, AppSelector(text: app))
        let report = try await Deployment.withExisting(global) { deployment, _ in
            try await AccessReport.after(in: deployment, of: selector) { _, rule, transaction in
                let app = try apps.find(in: transaction)
                return rule.listed.contains(app.id) ? nil : .list(app.id)
            }
        }
        try output.print(report) { report.text }
    }
}
