import Authorization
import Directory
import Foundation
import Ground
import HiddenMail
import Mail

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
    /// `iss` of the tokens of standard clients.
    package var standardIssuer: String { baseURL + "/oidc" }
    /// Writes truths in identity tokens of compatible clients as text, as it was until 2024.
    package var flagsAsText = false
    /// Allows return URLs and notifications on `http` loopback.
    package var isDevelopment = false
    /// Sends notifications into private networks too. A server on loopback does anyway, and one for development.
    package var notifiesPrivateNetworks = false
    var notifiesPrivateAddresses: Bool {
        notifiesPrivateNetworks || isDevelopment
            || Loopback.contains(host: URLComponents(string: baseURL)?.encodedHost ?? "")
    }
    /// What an app gets as `error` when the person says no.
    package var cancelledError = "access_denied"
    /// Scopes of other services that a client may send along without harm.
    package var ignoredScopes: Set<String> = []
    package var rateLimit = RateLimit()
    /// How long a request may take to arrive, from its first byte to its last.
    package var requestTimeout: Duration = .seconds(30)
    /// Connections that are open at once; for more those give way that wait for a request, the longest first, and if none
    /// does they wait to be accepted. Most systems let a process have 1 024 files.
    package var connectionsMax = 900
    /// How many of them may come from one address; nil for a quarter. Proxies are not counted.
    package var connectionsPerAddress: Int?
    /// Addresses and networks of proxies: their `X-Forwarded-For` is believed.
    package var trustedProxies = ["127.0.0.0/8", "::1"]
    /// How long a client may leave an answer unread; long ones have more: see ``AnswerDeadline``.
    package var answerTimeout: Duration = .seconds(30)
    /// Wrong passwords that one address may send before unknown browsers have to wait there.
    package var wrongPasswords = FailureBudget.Limits()
    /// Seconds without a use after which a browser has to sign in again.
    package var sessionIdle = BrowserSession.idle
    /// How long apps keep people signed in.
    package var refreshTokens = RefreshTokenLifetime()
    /// Emits `PST` where the default is `America/Los_Angeles`.
    package var abbreviatesTimeZones = false
    /// How often due notifications are looked for.
    package var notificationInterval: Duration = .seconds(2)
    /// How often what time has ended is cleared away.
    package var tidyingInterval: Duration = .seconds(60)

    /// How often due mails are looked for.
    package var mailInterval: Duration = .seconds(1)
    /// Nil: mail is off, and what needs it is not offered.
    package var mail: MailConfiguration?
    /// Whether people can make accounts of their own; it takes mail.
    package var personalAccounts = true
    /// Nil: there are no hidden addresses, and they are not offered.
    package var relay: RelayConfiguration?

    /// Apps whose sign-on extension may answer in the server's place: team, dot, bundle identifier. What ships with
    /// Lanyard is `LANYARD.org.lanyard.openid` with its extension.
    package var associatedApps = ["LANYARD.org.lanyard.openid", "LANYARD.org.lanyard.openid.extension"]

    /// Whom to tell of a weakness of the server: a `mailto:`, `https:` or `tel:` address. Nil: nobody is named.
    package var securityContact: String?

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
        let isLoopback = Loopback.contains(host: host)
        guard url.scheme == "https" || isLoopback else { throw Problem.insecureBaseURL(baseURL) }
        if let issuer, issuer != baseURL, !isLoopback { throw Problem.foreignIssuer(issuer) }
        self.baseURL = baseURL
        self.issuer = issuer ?? baseURL
        notificationIssuer = self.issuer + "/auth/oauth2/v2"
    }

    /// - Throws: ``Problem/impossible(setting:value:requirement:)`` for a limit that stops everyone or nobody.
    package func check() throws {
        func require(_ isMet: Bool, _ setting: String, _ value: Any, _ requirement: String) throws {
            if !isMet { throw Problem.impossible(setting: setting, value: "\(value)", requirement: requirement) }
        }
        try Self.checkListening(host: host, port: port)
        let (rate, burst) = (rateLimit.requestsPerSecond, rateLimit.burst)
        try require((0.001...1e9).contains(rate), "rateLimit.requestsPerSecond", rate, "a number from 0.001")
        try require((1...1e9).contains(burst), "rateLimit.burst", burst, "a number from 1")
        try require(
            requestTimeout > .zero && requestTimeout <= .seconds(86_400), "requestTimeout", requestTimeout,
            "a number of seconds from 1 to 86400")
        try require(connectionsMax >= 1, "connectionsMax", connectionsMax, "a whole number from 1")
        try require(
            (connectionsPerAddress ?? 1) >= 1, "connectionsPerAddress", connectionsPerAddress ?? 0,
            "a whole number from 1")
        try require(
            (1...1e9).contains(wrongPasswords.burst), "wrongPasswords.burst", wrongPasswords.burst, "a number from 1")
        try require(
            (0.001...1e9).contains(wrongPasswords.perMinute), "wrongPasswords.perMinute", wrongPasswords.perMinute,
            "a number from 0.001")
        try require(
            (300...BrowserSession.lifetime).contains(sessionIdle), "sessions.idleMinutes", sessionIdle / 60,
            "a number of minutes from 5 to 720")
        let (idle, absolute) = (refreshTokens.idle / 86_400, refreshTokens.absolute.map { $0 / 86_400 })
        try require((1...36_500).contains(idle), "refreshTokens.idleDays", idle, "a number of days from 1 to 36500")
        try require(
            (1...36_500).contains(absolute ?? 1), "refreshTokens.lifetimeDays", absolute ?? 0,
            "a number of days from 1 to 36500")
        try require(associatedApps.count <= 1_000, "associatedApps", "\(associatedApps.count) apps", "1000 at most")
        for app in associatedApps {
            try require(
                Self.isApplicationIdentifier(app), "associatedApps", "“\(app)”",
                "team, dot, bundle identifier, such as LANYARD.org.lanyard.openid")
        }
        if let securityContact {
            try require(
                Self.isContact(securityContact), "securityContact", "“\(securityContact)”",
                "an address such as mailto:security@school.example or https://school.example/security")
        }
        for proxy in trustedProxies {
            try require(
                AddressRange(proxy) != nil, "trustedProxies", "“\(proxy)”",
                "addresses or networks such as 10.0.0.7 or 10.0.0.0/8")
        }
    }

    /// Apart, because the default of the base URL names the port.
    /// - Throws: ``Problem/impossible(setting:value:requirement:)``
    package static func checkListening(host: String, port: Int) throws {
        guard (0...65_535).contains(port) else {
            throw Problem.impossible(
                setting: "port", value: "\(port)", requirement: "a whole number from 1 to 65535, or 0 for a free one")
        }
        // What looks like an address has to be one; whether a name leads anywhere shows when it is listened at.
        let looksLikeAddress = host.contains(":") || host.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
        let isName = host.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-._".utf8.contains($0) }
        guard !host.isEmpty, looksLikeAddress ? AddressRange(host) != nil && !host.contains("/") : isName else {
            throw Problem.impossible(
                setting: "host", value: "“\(host)”",
                requirement: "an address of this machine, such as 127.0.0.1 or ::1, or its name")
        }
    }

    /// RFC 9116 §2.5.3. It stands on a line of its own, so that nothing may end the line.
    private static func isContact(_ text: String) -> Bool {
        guard text.utf8.count <= 2_048, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let url = URLComponents(string: text)
        else { return false }
        return switch url.scheme {
        case "https": url.host?.isEmpty == false
        case "mailto", "tel": !url.path.isEmpty
        default: false
        }
    }

    private static func isApplicationIdentifier(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 2 && text.utf8.count <= 256
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
            }
    }

    package enum Problem: Error, Equatable, CustomStringConvertible {
        case malformedBaseURL(String)
        case insecureBaseURL(String)
        case foreignIssuer(String)
        case impossible(setting: String, value: String, requirement: String)

        package var description: String {
            switch self {
            case .malformedBaseURL(let url): "“\(url)” is no base URL. Write one such as https://id.school.example."
            case .insecureBaseURL(let url):
                "The base URL \(url) is not https. Put a TLS proxy in front, and write the address that people use."
            case .foreignIssuer(let issuer):
                "The issuer \(issuer) is not this server's own address; that is taken on loopback only."
            case .impossible(let setting, let value, let requirement):
                "The setting \(setting) cannot be \(value). Write \(requirement)."
            }
        }
    }

    var isSecure: Bool { baseURL.hasPrefix("https://") }
}
