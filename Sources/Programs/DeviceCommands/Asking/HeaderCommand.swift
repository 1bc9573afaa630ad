import ArgumentParser
import CommandOutput
import SingleSignOnClient
import SingleSignOnWire

struct HeaderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "header",
        abstract: "Print the headers with which a request to a URL is let in.",
        discussion: """
            For the host of a credential extension the URL is loaded once, and the extension answers its challenge; nothing \
            is printed if there is none. Otherwise it is an access token of the URL's identity provider. Exit codes: see \
            `request`.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var ask: AskOptions

    @Argument(help: "The URL.")
    var url: AskedURL

    func run() async throws {
        try await reportingSingleSignOn {
            let signOn = SignOn(options: ask)
            let headers = try await signOn.headers(url.text)
            try output.print(headers) { headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n") }
        }
    }
}

extension SignOn {
    /// - Returns: no headers if the server needs none.
    func headers(_ url: String) async throws -> [HeaderField] {
        if let headers = try await challengeHeaders(url) { return headers }
        guard let token = try await tokens(url).accessToken else {
            throw SingleSignOnFailure(.failure, "The extension's answer holds no access token.")
        }
        return [HeaderField("Authorization", "Bearer \(token)")]
    }
}
