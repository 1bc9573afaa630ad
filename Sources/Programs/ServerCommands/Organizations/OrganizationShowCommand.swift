import Administration
import ArgumentParser
import CommandOutput

struct OrganizationShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one organization.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    func run() async throws {
        let record = try await Deployment.administrate(global) {
            try await $0.ask(ShowOrganization(), in: organization.reference)
        }
        try output.print(record) { record.text }
    }
}
