import ArgumentParser
import Authorization
import Directory
import Storage

struct AppTransferCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract: "Hand an app over to another team.",
        discussion: """
            From the next call on its servers authenticate with keys of the new team, which knows people by ids of its \
            own. For 60 days identity tokens carry the transfer identifier of each person too, and both teams can ask for \
            them (POST /auth/usermigrationinfo). What people and organizations have allowed goes on.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The app: a client id or its name.")
    var app: String

    @Option(help: "The new team, by id or name.")
    var team: String

    func run() async throws {
        let (apps, teams) = (AppSelector(text: app), TeamSelector(text: team))
        let report = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.write { transaction in
                let app = try apps.find(in: transaction)
                try app.transfer(
                    to: teams.find(in: transaction), by: .operator, from: .commandLine, at: now, in: transaction)
                return try AppReport(app, in: transaction)
            }
        }
        try output.print(report) { "Handed over.\n\n\(report.text)" }
    }
}
