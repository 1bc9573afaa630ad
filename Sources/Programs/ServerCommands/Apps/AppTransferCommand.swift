import Administration
import ArgumentParser
import CommandOutput

struct AppTransferCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract: "Hand an app over to another team.",
        discussion: """
            From the next call on its servers authenticate with keys of the new team, which knows people by ids of its \
            own; fixed secrets are void. For 60 days identity tokens carry the transfer identifier of each person too, and \
            both teams can ask for them (POST /auth/usermigrationinfo). What people have allowed goes on. Organizations \
            that share their people and classes with the app are asked for consent again: theirs was to the former team.

            The operator does this without asking the new team. Members of a team offer their app (`lanyard app offer`).
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The app: a client id or its name.")
    var app: String

    @Option(help: "The new team, by id or name.")
    var team: String

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.perform(TransferApp(app: AppReference(app), team: TeamReference(team))).answer
        }
        let report = TransferReport(answer)
        try output.print(report) { "Handed over.\n" + report.text }
    }
}

/// An app after a transfer, and what has ended by it.
struct TransferReport: Encodable, Sendable {
    private let app: AppRecord
    private let clientsWithoutSecret: [String]
    private let endedConsents: [String]

    init(_ transferred: TransferredApp) {
        app = transferred.app
        clientsWithoutSecret = transferred.clientsWithoutSecret
        endedConsents = transferred.endedConsents
    }

    enum CodingKeys: CodingKey {
        case clientsWithoutSecret, endedConsents
    }

    func encode(to encoder: any Encoder) throws {
        try app.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(clientsWithoutSecret, forKey: .clientsWithoutSecret)
        try container.encode(endedConsents, forKey: .endedConsents)
    }

    var text: String {
        var lines = clientsWithoutSecret.map {
            "The secret of \($0) is void: `lanyard app client \($0) --secret` makes another."
        }
        if !endedConsents.isEmpty {
            lines.append(
                "To share their people and classes again, these have to consent: "
                    + endedConsents.joined(separator: ", ") + ".")
        }
        return (lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n") + "\n" + app.text
    }
}
