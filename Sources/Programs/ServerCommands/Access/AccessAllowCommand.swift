import ArgumentParser
import Authorization
import CommandOutput
import Storage

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

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption
    @OptionGroup var purpose: AccessPurposeOption

    @Argument(help: "The app: a client id or its name.")
    var app: String

    func run() async throws {
        let apps = AppSelector(text: app)
        let change = AccessChange(purpose: purpose.value, organization: organization.selector) { _, rule, transaction in
            let app = try apps.find(in: transaction)
            return rule.listed.contains(app.id) ? nil : .list(app.id)
        }
        let report = try await Deployment.withExisting(global) { deployment, _ in
            try await change.apply(in: deployment)
        }
        try output.print(report) { report.text }
    }
}
