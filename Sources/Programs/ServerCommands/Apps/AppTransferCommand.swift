import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Storage

struct AppTransferCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract: "Hand an app over to another team.",
        discussion: """
            From the next call on its servers authenticate with keys of the new team, which knows people by ids of its \
            own; fixed secrets are void. For 60 days identity tokens carry the transfer identifier of each person too, and \
            both teams can ask for them (POST /auth/usermigrationinfo). What people have allowed goes on. Organizations \
            that share their people and classes with the app are asked for consent again: theirs was to the former team.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The app: a client id or its name.")
    var app: String

    @Option(help: "The new team, by id or name.")
    var team: String

    /// The app after the transfer, and what has ended by it.
    private struct Report: Encodable, Sendable {
        let app: AppReport
        let clientsWithoutSecret: [String]
        let endedConsents: [String]

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
            var lines = ["Handed over."]
            lines += clientsWithoutSecret.map {
                "The secret of \($0) is void: `lanyard app client \($0) --secret` makes another."
            }
            if !endedConsents.isEmpty {
                lines.append(
                    "To share their people and classes again, these have to consent: "
                        + endedConsents.joined(separator: ", ") + ".")
            }
            return lines.joined(separator: "\n") + "\n\n" + app.text
        }
    }

    func run() async throws {
        let (apps, teams) = (AppSelector(text: app), TeamSelector(text: team))
        let report = try await Deployment.withExisting(global) { deployment, _ in
            let (now, surroundings) = (deployment.now, deployment.surroundings)
            return try await deployment.database.write { transaction in
                let app = try apps.find(in: transaction)
                let handover = try app.transfer(
                    to: teams.find(in: transaction), by: .operator, from: .commandLine, at: now,
                    surroundings: surroundings, in: transaction)
                return Report(
                    app: try AppReport(app, in: transaction), clientsWithoutSecret: handover.clientsWithoutSecret,
                    endedConsents: try handover.endedConsents.compactMap {
                        try Organization.find($0.organizationID, in: transaction)?.name
                    })
            }
        }
        try output.print(report) { report.text }
    }
}
