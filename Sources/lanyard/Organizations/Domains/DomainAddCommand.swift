import ArgumentParser
import Directory
import Storage

struct DomainAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a domain, verified.",
        discussion: """
            Whoever runs the server vouches that the domain is the organization's.

            For example:
              lanyard org domain add students.maple.example
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The domain, such as maple.example.")
    var name: String

    func run() async throws {
        let selector = organization.selector
        let name = name
        let domain = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.write { transaction in
                let organization = try selector.findToChange(in: transaction)
                try Domain.put(name, verifiedAt: now, of: organization.id, at: now, in: transaction)
                try AuditEntry(
                    .organizationChanged, by: .operator, on: "organization:\(organization.publicID)", outcome: .done,
                    detail: "domain \(name.lowercased()) verified", from: .commandLine
                ).append(to: organization.id, at: now, in: transaction)
                return try Domain.list(of: organization.id, in: transaction).first { $0.name == name.lowercased() }
            }
        }
        try output.print(domain.map(DomainReport.init)) { "Added \(name.lowercased())." }
    }
}
