import Administration
import ArgumentParser
import CommandOutput

struct AppListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the apps.", discussion: "With --server, those of your teams.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "List the apps that were removed instead.")
    var removed = false

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ListApps(removed: removed ? true : nil))
        }
        try output.print(answer) {
            if answer.apps.isEmpty {
                return removed ? "No app was removed." : "There is no app yet. `lanyard app create` registers one."
            }
            return Table.text(
                ["NAME", "CLIENT ID", "TEAM", "CONNECTED", "SCOPES"],
                answer.apps.map {
                    [
                        $0.name, $0.clientIDs.first ?? "", $0.teamName, "\($0.connectedOrganizations)",
                        $0.scopes.joined(separator: " "),
                    ]
                })
        }
    }
}
