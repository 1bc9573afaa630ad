import ArgumentParser
import AsyncHTTPClient
import Foundation
import Hummingbird
import LanyardClient
import Logging
import NIOSSL

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the web site.",
        discussion: "The secret of its client is in the environment: BURGERS_CLIENT_SECRET.")

    @Option(help: "The port to listen on, at 127.0.0.1.")
    var port = 8_082

    @Option(name: .customLong("public-url"), help: "Where browsers reach the site. [default: at the port]")
    var publicURLOption: String?

    @Option(help: "The identity provider's issuer, such as https://id.school.example/oidc.")
    var issuer: String

    @Option(help: "The site's client id.")
    var clientID: String

    @Option(help: "The native program's client id: its access tokens are taken too.")
    var nativeClientID: String

    @Option(help: "A file of authorities (PEM) that vouch for the provider, in place of the public ones.")
    var certificateAuthority: String?

    @Option(help: "name=address: where the provider is, instead of where DNS says.")
    var providerAddress: String?

    func validate() throws {
        guard providerAddress.map({ $0.split(separator: "=").count == 2 }) ?? true else {
            throw ValidationError("--provider-address is name=address.")
        }
    }

    func run() async throws {
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: try connections())
        let secret = ProcessInfo.processInfo.environment["BURGERS_CLIENT_SECRET"]
        let ownClient = OpenIDClient(
            configuration: .init(issuer: issuer, clientID: clientID, clientSecret: secret), httpClient: http)
        let nativeClient = OpenIDClient(
            configuration: .init(issuer: issuer, clientID: nativeClientID), httpClient: http)
        let publicURL = publicURLOption ?? "http://127.0.0.1:\(port)"
        let site = Site(
            client: ownClient, publicURL: publicURL, sessions: Sessions(),
            bearers: BearerTokens(client: nativeClient))
        var logger = Logger(label: "burgers-and-tacos")
        logger.logLevel = .notice
        let application = Application(
            router: site.router(),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)), logger: logger)
        do {
            try await application.runService()
        } catch {
            try? await http.shutdown()
            throw error
        }
        try await http.shutdown()
    }

    /// The configuration for requests to the provider. Redirections are not followed, because they could send secrets
    /// elsewhere.
    private func connections() throws -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        if let certificateAuthority {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(certificateAuthority)
            configuration.tlsConfiguration = tls
        }
        if let parts = providerAddress?.split(separator: "="), parts.count == 2 {
            configuration.dnsOverride = [String(parts[0]): String(parts[1])]
        }
        return configuration
    }
}
