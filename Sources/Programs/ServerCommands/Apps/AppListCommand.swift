import ArgumentParser
import Authorization
import CommandOutput
import Storage

struct AppListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the apps.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "List the apps that were removed instead.")
    var removed = false

    private struct Result: Encodable {
        let apps: [AppReport]
    }

    func run() async throws {
        let showsRemoved = removed
        let apps = try await Deployment.withExisting(global) { deployment, _ in
            try await deployment.database.read { transaction in
                let apps = try showsRemoved ? App.listRemoved(in: transaction) : App.list(in: transaction)
                return try apps.map { try AppReport($0, in: transaction) }
            }
        }
        try output.print(Result(apps: apps)) {
            if apps.isEmpty {
                return showsRemoved ? "No app was removed." : "There is no app yet. `lanyard app create` registers one."
            }
            return Table.text(
                ["NAME", "CLIENT ID", "TEAM", "CONNECTED", "SCOPES"],
                apps.map {
                    [
                        $0.name, $0.clientIDs.first ?? "", $0.teamName, "\($0.connectedOrganizations)",
                        $0.scopes.joined(separator: " "),
                    ]
                })
        }
    }
}
