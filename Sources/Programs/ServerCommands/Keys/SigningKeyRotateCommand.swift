import Administration
import ArgumentParser
import Authorization
import CommandOutput

struct SigningKeyRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Make a new key for each algorithm.",
        discussion: """
            It signs in half an hour, when every app has had time to fetch it. With --now it signs at once, and all other \
            keys are retired, the planned one too. Apps keep the list for up to a quarter of an hour: until then they may \
            refuse people who sign in, and go on to believe what a retired key has signed. Whoever is signed in to an app \
            stays so.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Let it sign at once and retire all others, because somebody may have them.")
    var now = false

    @Option(help: "Only the key of this algorithm: RS256 or ES256.")
    var algorithm: SigningAlgorithm?

    func run() async throws {
        let change = try await Deployment.administrate(global) {
            try await $0.perform(RotateSigningKeys(now: now ? true : nil, algorithm: algorithm)).answer
        }
        try output.print(change) { change.text }
    }
}
