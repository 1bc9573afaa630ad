import ArgumentParser
import CommandOutput
import SingleSignOnClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print an access token of an identity provider, and nothing else.",
        discussion: """
            What the extension has saved serves silently; otherwise the person is asked. Whoever reads the token can use \
            it: keep it out of argument lists, which every user of the machine can read. Exit codes: see `request`.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var ask: AskOptions

    @Argument(help: "The identity provider's URL, or sso-realm:REALM, or sso-host:NAME.")
    var url: AskedURL

    @Flag(name: .customLong("id-token"), help: "Print the identity token instead.")
    var isIdentityToken = false

    private struct Report: Encodable {
        let accessToken: String?
        let identityToken: String?
        let scopes: [String]
        let expiresAt: Date?
    }

    func run() async throws {
        try await reportingSingleSignOn {
            let tokens = try await SignOn(options: ask).tokens(url.text)
            let name = isIdentityToken ? "identity" : "access"
            guard let token = isIdentityToken ? tokens.identityToken : tokens.accessToken else {
                throw SingleSignOnFailure(.failure, "The extension's answer holds no \(name) token.")
            }
            try output.print(
                Report(
                    accessToken: tokens.accessToken, identityToken: tokens.identityToken,
                    scopes: tokens.credential.authorizedScopes.map(\.rawValue), expiresAt: tokens.expiresAt)
            ) { token }
        }
    }
}
