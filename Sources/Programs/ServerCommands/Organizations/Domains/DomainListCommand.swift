import ArgumentParser
import CommandOutput
import Directory
import Storage

struct DomainListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the domains.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    private struct Result: Encodable {
        let domains: [DomainReport]
    }

    func run() async throws {
        let selector = organization.selector
        let domains = try await Deployment.withExisting(global) { deployment, _ in
            try await deployment.database.read { transaction in
                try Domain.list(of: selector.find(in: transaction).id, in: transaction).map { DomainReport($0) }
            }
        }
        try output.print(Result(domains: domains)) {
            if domains.isEmpty { return "There is no domain yet." }
            return Table.text(
                ["NAME", "VERIFIED (UTC)"], domains.map { [$0.name, $0.verifiedAt?.minuteText ?? "no"] })
        }
    }
}
