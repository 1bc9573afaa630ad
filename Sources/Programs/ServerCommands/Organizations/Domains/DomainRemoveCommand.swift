import ArgumentParser
import CommandOutput
import Directory
import Storage

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
        let selector = organization.selector
        let name = name.lowercased()
        try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            try await deployment.database.write { transaction in
                let organization = try selector.findToChange(in: transaction)
                guard try Domain.delete(name, of: organization.id, at: now, in: transaction) else {
                    throw Failure(
                        "\(organization.name) has no domain “\(name)”. `lanyard org domain list` shows those that it has."
                    )
                }
                try AuditEntry(
                    .organizationChanged, by: .operator, on: "organization:\(organization.publicID)", outcome: .done,
                    detail: "domain \(name) removed", from: .commandLine
                ).append(to: organization.id, at: now, in: transaction)
            }
        }
        try output.print(Result(removed: name)) { "Removed \(name)." }
    }
}
