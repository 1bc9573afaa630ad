import Foundation

/// How one server runs. Every setting has a default that starts and is safe.
package struct ServerConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// 0 takes a free one.
    package var port = 8080
    /// How people and apps reach the server, without a slash at the end.
    package var baseURL: String
    /// `iss` of tokens; the base URL unless emulating another service.
    package var issuer: String
    /// `iss` of notifications.
    package var notificationIssuer: String
    /// Allows return URLs and notifications on `http` loopback.
    package var isDevelopment = false
    /// What an app gets as `error` when the person says no.
    package var cancelledError = "access_denied"
    /// Scopes of other services that a client may send along without harm.
    package var ignoredScopes: Set<String> = []
    package var rateLimit = RateLimit()
    /// Emits `PST` where the default is `America/Los_Angeles`.
    package var abbreviatesTimeZones = false
    /// How often due notifications are looked for.
    package var notificationInterval: Duration = .seconds(2)

    /// Requests of one app on one organization's roster.
    package struct RateLimit: Sendable {
        package var requestsPerSecond = 20.0
        package var burst = 100.0
        package init() {}
    }

    /// - Parameters:
    ///   - baseURL: `https://…`, or `http://` on loopback.
    ///   - issuer: another origin than our own is taken on loopback only, for clients that have one compiled in.
    /// - Throws: ``Problem``
    package init(baseURL: String, issuer: String? = nil) throws {
        let baseURL = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
        guard let url = URLComponents(string: baseURL), let host = url.host, ["http", "https"].contains(url.scheme),
            url.query == nil, url.fragment == nil, url.user == nil
        else { throw Problem.malformedBaseURL(baseURL) }
        let isLoopback = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
        guard url.scheme == "https" || isLoopback else { throw Problem.insecureBaseURL(baseURL) }
        if let issuer, issuer != baseURL, !isLoopback { throw Problem.foreignIssuer(issuer) }
        self.baseURL = baseURL
        self.issuer = issuer ?? baseURL
        notificationIssuer = self.issuer + "/auth/oauth2/v2"
    }

    package enum Problem: Error, Equatable, CustomStringConvertible {
        case malformedBaseURL(String)
        case insecureBaseURL(String)
        case foreignIssuer(String)

        package var description: String {
            switch self {
            case .malformedBaseURL(let url): "“\(url)” is no base URL. Write one such as https://id.school.example."
            case .insecureBaseURL(let url):
                "The base URL \(url) is not https. Put a TLS proxy in front, and write the address that people use."
            case .foreignIssuer(let issuer):
                "The issuer \(issuer) is not this server's own address; that is taken on loopback only."
            }
        }
    }

    var isSecure: Bool { baseURL.hasPrefix("https://") }
}
