import Administration
import ArgumentParser
import CommandOutput

struct APIClientCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api-client", abstract: "Programs that administrate an organization over the API.",
        subcommands: [APIClientListCommand.self, APIClientAddCommand.self, APIClientRevokeCommand.self])
}

extension Privilege: ExpressibleByArgument {}

extension APIClientRecord {
    fileprivate var privilegeText: String { privileges.map(\.rawValue).joined(separator: " ") }
}

struct APIClientListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the programs, revoked ones included.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ListAPIClients(), in: organization.reference)
        }
        try output.print(answer) {
            if answer.clients.isEmpty { return "No program. `lanyard api-client add` lets one in." }
            return Table.text(
                ["CLIENT ID", "NAME", "SINCE (UTC)", "REVOKED", "PRIVILEGES"],
                answer.clients.map {
                    [
                        $0.clientID, $0.name, $0.createdAt.minuteText, $0.revokedAt?.minuteText ?? "–",
                        $0.privilegeText,
                    ]
                })
        }
    }
}

struct APIClientAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Let a program administrate an organization; its secret is printed once.",
        discussion: """
            Give it as few privileges as its work needs. It gets access tokens from /api/v1/token; docs/api.md has the \
            way.

            For example:
              lanyard api-client add "Timetable" --privilege people.read --privilege classes.manage
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "What people call the program.")
    var name: String

    @Option(help: "What it may do. Can be repeated.")
    var privilege: [Privilege]

    func run() async throws {
        let made = try await Deployment.administrate(global) {
            try await $0.perform(AddAPIClient(name: name, privileges: privilege), in: organization.reference).answer
        }
        try output.print(made) {
            """
            \(made.client.name) may administrate: \(made.client.privilegeText)

                Client id: \(made.client.clientID)
                Secret:    \(made.secret)

            The secret is shown this once.
            """
        }
    }
}

struct APIClientRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "End what a program may do, at once.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The client id, as `lanyard api-client list` shows it.")
    var client: String

    func run() async throws {
        let record = try await Deployment.administrate(global) {
            try await $0.perform(RevokeAPIClient(client: client), in: organization.reference).answer
        }
        try output.print(record) { "\(record.name) (\(record.clientID)) may do nothing any more." }
    }
}
