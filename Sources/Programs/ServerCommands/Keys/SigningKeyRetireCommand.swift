import Administration
import ArgumentParser
import Authorization
import CommandOutput

struct SigningKeyRetireCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire", abstract: "Take a key out of service, because somebody else may have it.",
        discussion: """
            It leaves /auth/keys and /oidc/keys, and no server believes what it has signed, within \
            \(Int(SigningKeys.patience)) seconds; apps follow when they read the list again, after a quarter of an hour at \
            most. If it is the key that signs, the one that was planned to follow signs from now on. This cannot be taken \
            back.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The key, as `lanyard signing-key list` shows it.")
    var key: String

    func run() async throws {
        let change = try await Deployment.administrate(global) {
            try await $0.perform(RetireSigningKey(key: key)).answer
        }
        try output.print(change) { change.text }
    }
}
