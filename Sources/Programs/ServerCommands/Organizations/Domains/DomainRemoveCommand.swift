import Administration
import ArgumentParser
import CommandOutput

struct DomainRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a domain.",
        discussion: "User names and email addresses in it stay as they are.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The domain.")
    var name: String

    private struct Result: Encodable {
        let removed: String
    }

    func run() async throws {
        let domain = try await Deployment.administrate(global) {
            try await $0.perform(RemoveDomain(domain: name), in: organization.reference).answer
        }
        try output.print(Result(removed: domain.name)) { "Removed \(domain.name)." }
    }
}
