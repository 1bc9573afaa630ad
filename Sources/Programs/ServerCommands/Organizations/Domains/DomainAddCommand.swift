import ArgumentParser
import CommandOutput
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
        let (domain, personalAccounts) = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.write { transaction in
                let organization = try selector.findToChange(in: transaction)
                try Domain.put(name, verifiedAt: now, of: organization.id, at: now, in: transaction)
                try AuditEntry(
                    .organizationChanged, by: .operator, on: "organization:\(organization.publicID)", outcome: .done,
                    detail: "domain \(name.lowercased()) verified", from: .commandLine
                ).append(to: organization.id, at: now, in: transaction)
                return (
                    try Domain.list(of: organization.id, in: transaction).first { $0.name == name.lowercased() },
                    try Person.countPersonal(in: name.lowercased(), transaction)
                )
            }
        }
        try output.print(domain.map { DomainReport($0, personalAccounts: personalAccounts) }) {
            guard personalAccounts > 0 else { return "Added \(name.lowercased())." }
            return """
                Added \(name.lowercased()). Personal accounts with an address of this domain: \(personalAccounts). They stay \
                their owners'; `lanyard person list --personal --text @\(name.lowercased())` shows them.
                """
        }
    }
}
