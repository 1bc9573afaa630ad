import ArgumentParser
import CommandOutput
import Storage

struct AccessShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show the mode and the list.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption
    @OptionGroup var purpose: AccessPurposeOption

    func run() async throws {
        let (selector, purpose) = (organization.selector, purpose.value)
        let report = try await Deployment.withExisting(global) { deployment, _ in
            try await deployment.database.read { transaction in
                try AccessReport(purpose, of: selector.find(in: transaction), in: transaction)
            }
        }
        try output.print(report) { report.text }
    }
}
