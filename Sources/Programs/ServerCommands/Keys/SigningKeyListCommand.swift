import Administration
import ArgumentParser
import Authorization
import CommandOutput

struct SigningKeyListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the keys.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let keys = try await Deployment.administrate(global) { try await $0.ask(ListSigningKeys()).keys }
        try output.print(keys) {
            if keys.isEmpty { return "There is no signing key yet. The server makes the first when it starts." }
            return Table.text(
                ["KEY", "ALGORITHM", "STATE", "SIGNS FROM", "MADE"],
                keys.map {
                    [
                        $0.keyID, $0.algorithm.rawValue, $0.state.rawValue, "\($0.signsFrom.minuteText) UTC",
                        "\($0.createdAt.minuteText) UTC",
                    ]
                })
        }
    }
}
