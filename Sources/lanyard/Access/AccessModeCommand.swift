import ArgumentParser
import Authorization
import Storage

struct AccessModeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mode", abstract: "Allow all apps, or only listed ones.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption
    @OptionGroup var purpose: AccessPurposeOption

    @Argument(help: "The mode.")
    var mode: AccessRule.Mode

    func run() async throws {
        let (selector, purpose, mode) = (organization.selector, purpose.value, mode)
        let report = try await Deployment.withExisting(global) { deployment, _ in
            try await AccessReport.after(in: deployment, purpose, of: selector) { _, rule, _ in
                rule.mode == mode && rule.version > 0 ? nil : .mode(mode)
            }
        }
        try output.print(report) { report.text }
    }
}
