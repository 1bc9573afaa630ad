import ArgumentParser
import Directory
import Foundation
import Server
import Storage

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make an organization, and a one-time link for its first administrator.",
        discussion: "Run again for an organization that exists, it makes a new link and voids the old one.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "The name of the organization, as people know it.")
    var name: String

    @Option(help: "school or business.")
    var kind: Organization.Kind = .school

    @Option(help: "A domain of the organization; e-mail addresses and user names may lie in it. May be repeated.")
    var domain: [String] = []

    @Option(
        help: """
            How imported people get their user names. Building blocks in braces. \
            [default: {first_name}.{last_name}@<the first domain>]
            """)
    var userNameFormat: String?

    private struct Result: Encodable {
        let organization: String
        let name: String
        let isNew: Bool
        let link: String
        let expiresAt: Date
    }

    func run() async throws {
        let result = try await Deployment.with(global) { deployment, settings in
            let baseURL = try settings.server().baseURL
            let format = try userNameFormat.map(UserNameFormat.init) ?? domain.first.map { .standard(domain: $0) }
            let now = deployment.now
            let (name, kind, domains) = (name, kind, domain)
            return try await deployment.database.write { transaction in
                let existing = try Organization.list(in: transaction).first { $0.name == name }
                let organization =
                    try existing
                    ?? Organization.insert(
                        name: name, kind: kind, userNameFormat: format, at: now, in: transaction)
                // Whoever runs the server vouches for the domains that they name here.
                for domain in domains {
                    try Domain.put(domain, verifiedAt: now, of: organization.id, in: transaction)
                }
                if existing == nil {
                    try AuditEntry(
                        .organizationCreated, by: .operator, on: "organization:\(organization.publicID)",
                        outcome: .done,
                        from: .commandLine
                    ).append(to: organization.id, at: now, in: transaction)
                }
                let secret = try Invitation.insert(
                    to: organization.id, as: .administrator, at: now, from: deployment.surroundings, in: transaction)
                try AuditEntry(
                    .invitationIssued, by: .operator, on: "organization:\(organization.publicID)", outcome: .done,
                    from: .commandLine
                ).append(to: organization.id, at: now, in: transaction)
                return Result(
                    organization: organization.publicID, name: organization.name, isNew: existing == nil,
                    link: baseURL + InvitationRoutes.path(of: secret.text),
                    expiresAt: now.addingTimeInterval(Invitation.lifetime))
            }
        }
        try output.print(result) {
            """
            \(result.isNew ? "Made" : "Found") \(result.name) (\(result.organization)).

            Open this link once, within a day, to make the first administrator's account:

                \(result.link)

            The server must be running for that: `lanyard serve`.
            """
        }
    }
}

extension Organization.Kind: ExpressibleByArgument {}
