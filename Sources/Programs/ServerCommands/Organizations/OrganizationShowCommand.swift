import ArgumentParser
import CommandOutput
import Storage

struct OrganizationShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one organization.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    func run() async throws {
        let selector = organization.selector
        let report = try await Deployment.withExisting(global) { deployment, _ in
            try await deployment.database.read { transaction in
                try OrganizationReport(selector.find(in: transaction), in: transaction)
            }
        }
        try output.print(report) { report.text }
    }
}
