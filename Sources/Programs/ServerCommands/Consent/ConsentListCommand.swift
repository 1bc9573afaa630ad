import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Storage

struct ConsentListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the consents, oldest first, revoked ones too.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Flag(help: "Only those that are alive.")
    var alive = false

    private struct Result: Encodable {
        let consents: [ConsentReport]
    }

    func run() async throws {
        let (selector, onlyAlive) = (organization.selector, alive)
        let consents = try await Deployment.withExisting(global) { deployment, _ in
            try await deployment.database.read { transaction in
                let organization = try selector.find(in: transaction)
                return try Consent.list(of: organization.id, in: transaction)
                    .filter { !onlyAlive || $0.revokedAt == nil }
                    .map { try ConsentReport($0, of: organization, in: transaction) }
            }
        }
        try output.print(Result(consents: consents)) {
            if consents.isEmpty { return onlyAlive ? "No consent is alive." : "No consent was given yet." }
            let refusals = consents.compactMap { consent in consent.refusal.map { "\(consent.app): \($0)." } }
            return Table.text(ConsentReport.head, consents.map(\.row))
                + (refusals.isEmpty ? "" : "\n\n" + refusals.joined(separator: "\n"))
        }
    }
}
