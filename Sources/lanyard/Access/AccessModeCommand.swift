import ArgumentParser
import Authorization
import Storage

struct AccessModeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mode", abstract: "Let all apps ask for consent and read, or only listed ones.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The mode.")
    var mode: AccessRule.Mode

    func run() async throws {
        let (selector, mode) = (organization.selector, mode)
        let report = try await Deployment.withExisting(global) { deployment, _ in
            try await AccessReport.after(in: deployment, of: selector) { _, rule, _ in
                rule.mode == mode && rule.version > 0 ? nil : .mode(mode)
            }
        }
        try output.print(report) { report.text }
    }
}
