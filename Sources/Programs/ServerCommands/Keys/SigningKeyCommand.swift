import ArgumentParser
import Authorization

struct SigningKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signing-key",
        abstract: "The server's own keys, with which it signs identity tokens and notifications.",
        discussion: """
            There is one for RS256, which every app can read, and one for ES256, for apps of the standard profile that ask for \
            it (`lanyard app client --signing-algorithm`). A server that runs takes a new key up by itself. Apps find it at \
            /auth/keys and /oidc/keys half an hour before it signs, and the former one for a day after it signed last, so \
            that no token breaks. A key that somebody else may have is retired: within \(Int(SigningKeys.patience)) seconds no \
            server publishes or believes it any more.
            """,
        subcommands: [SigningKeyListCommand.self, SigningKeyRotateCommand.self, SigningKeyRetireCommand.self])
}
