import ArgumentParser
import Authorization
import CommandOutput
import Storage

struct SigningKeyListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the keys.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reports = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.read { SigningKeyReport.all(try SigningKeys.list(in: $0), at: now) }
        }
        try output.print(reports) {
            if reports.isEmpty { return "There is no signing key yet. `lanyard serve` makes the first when it starts." }
            return Table.text(
                ["KEY", "ALGORITHM", "STATE", "SIGNS FROM", "MADE"],
                reports.map {
                    [
                        $0.keyID, $0.algorithm, $0.state.rawValue, "\($0.signsFrom.minuteText) UTC",
                        "\($0.createdAt.minuteText) UTC",
                    ]
                })
        }
    }
}
