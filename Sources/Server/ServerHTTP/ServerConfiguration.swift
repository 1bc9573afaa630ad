import Administration
import Authorization
import Directory
import Foundation
import Ground
import HiddenMail
import Mail

/// The configuration of one server. Every setting has a safe default with which the server starts.
package struct ServerConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// 0 for any free port.
    package var port = 8080
    /// How people and apps reach the server, without a slash at the end.
    package var baseURL: String
    /// `iss` of tokens: the base URL, unless the server emulates another service.
    package var issuer: String
    /// `iss` of notifications.
    package var notificationIssuer: String
    /// `iss` of the tokens of standard clients.
    package var standardIssuer: String { baseURL + "/oidc" }
    /// Writes booleans in identity tokens of compatible clients as strings, as was usual until 2024.
    package var flagsAsText = false
    /// Allows return URLs and notifications on `http` loopback.
    package var isDevelopment = false
    /// Sends notifications into private networks too. Servers on loopback and for development always do.
    package var notifiesPrivateNetworks = false
    var notifiesPrivateAddresses: Bool {
        notifiesPrivateNetworks || isDevelopment
            || Loopback.contains(host: URLComponents(string: baseURL)?.encodedHost ?? "")
    }
    /// The `error` that an app gets when the person denies its request.
    package var cancelledError = "access_denied"
    /// Scopes of other services, which are ignored in requests.
    package var ignoredScopes: Set<String> = []
    package var rateLimit = RateLimit()
    /// How long a request may take to arrive, from its first byte to its last.
    package var requestTimeout: Duration = .seconds(30)
    /// Maximum number of open connections. When it is reached, the connection that has waited longest for a request is
    /// closed for a new one; if none waits, new ones wait to be accepted. Most systems allow a process 1 024 files.
    package var connectionsMax = 900
    /// How many of the connections may come from one address; nil for a quarter of them. Proxies are not counted.
    package var connectionsPerAddress: Int?
    /// Addresses and networks of proxies, whose `X-Forwarded-For` is trusted.
    package var trustedProxies = ["127.0.0.0/8", "::1"]
    /// How long a client may leave an answer unread; long answers get more time: see ``AnswerDeadline``.
    package var answerTimeout: Duration = .seconds(30)
    /// How many wrong passwords one address may send before unknown browsers have to wait there.
    package var wrongPasswords = FailureBudget.Limits()
    /// Seconds without a use after which a browser has to sign in again.
    package var sessionIdle = BrowserSession.idle
    /// How long apps keep people signed in.
    package var refreshTokens = RefreshTokenLifetime()
    /// Writes `PST` instead of `America/Los_Angeles`.
    package var abbreviatesTimeZones = false
    /// How often due notifications are looked for.
    package var notificationInterval: Duration = .seconds(2)
    /// How often expired records are deleted.
    package var tidyingInterval: Duration = .seconds(60)
    /// How often it is looked whether a job waits.
    package var jobInterval: Duration = .seconds(1)

    /// Looks whether something is wrong with the server itself, and if told so, also around it; nil where nobody does.
    package var examine: (@Sendable (_ around: Bool) async -> [ServerTrouble])?
    /// How often that is looked at.
    package var examinationInterval: Duration = .seconds(3_600)

    /// Makes the profile with which devices sign their people in here; nil where nothing can.
    package var signOnProfile: SignOnProfile?

    /// How often folders that are due are looked for: somebody may have asked for that, and waits.
    package var pickUpInterval: Duration = .seconds(2)
    /// The folder below which information systems put their files; nil if none is read.
    package var pickUpFolder: String?
    /// Name servers that are asked whose a domain is, such as `127.0.0.1:5353`; nil for those of the system.
    package var nameServers: String?

    /// How often due mails are looked for.
    package var mailInterval: Duration = .seconds(1)
    /// Nil if mail is off; what needs it is not offered then.
    package var mail: MailConfiguration?
    /// Whether people can make personal accounts, for which mail has to be on.
    package var personalAccounts = true
    /// Who may make teams of app developers, besides the operator.
    package var teamsMadeBy = DeveloperRules.Founding.nobody
    /// Whether a team of app developers can have a sandbox, see ``Sandbox``.
    package var sandboxes = true
    /// Nil if no tickets of Kerberos are taken.
    package var kerberos: KerberosConfiguration?
    /// Nil if there are no hidden addresses; they are not offered then.
    package var relay: RelayConfiguration?

    /// Apps whose sign-on extension may answer in the server's place: team, dot, bundle identifier. Lanyard's own app
    /// is `LANYARD.org.lanyard.openid` with its extension.
    package var associatedApps = ["LANYARD.org.lanyard.openid", "LANYARD.org.lanyard.openid.extension"]

    /// Where to report a vulnerability of the server: a `mailto:`, `https:` or `tel:` address. Nil if none is
    /// published.
    package var securityContact: String?

    /// The rate of requests of one app for one organization's roster, and of one access token of the administration
    /// API.
    package struct RateLimit: Sendable {
        package var requestsPerSecond = 20.0
        package var burst = 100.0
        package init() {}
    }

    /// - Parameters:
    ///   - baseURL: `https://…`, or `http://` on loopback.
    ///   - issuer: an origin other than the base URL's is allowed on loopback only, for clients that have one compiled
    ///     in.
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

    /// - Throws: ``Problem/impossible(setting:value:requirement:)`` for a limit that would block everyone or no one.
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
        let networks =
            trustedProxies.map { ("trustedProxies", $0) }
            + (kerberos?.networks ?? []).map { ("kerberos.networks", $0) }
        for (setting, network) in networks {
            try require(
                AddressRange(network) != nil, setting, "“\(network)”",
                "addresses or networks such as 10.0.0.7 or 10.0.0.0/8")
        }
    }

    /// Checked separately, because the default of the base URL contains the port.
    /// - Throws: ``Problem/impossible(setting:value:requirement:)``
    package static func checkListening(host: String, port: Int) throws {
        guard (0...65_535).contains(port) else {
            throw Problem.impossible(
                setting: "port", value: "\(port)", requirement: "a whole number from 1 to 65535, or 0 for a free one")
        }
        // A host that looks like an address has to be one. Whether a name can be resolved is found out when the server
        // listens.
        let looksLikeAddress = host.contains(":") || host.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
        let isName = host.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-._".utf8.contains($0) }
        guard !host.isEmpty, looksLikeAddress ? AddressRange(host) != nil && !host.contains("/") : isName else {
            throw Problem.impossible(
                setting: "host", value: "“\(host)”",
                requirement: "an address of this machine, such as 127.0.0.1 or ::1, or its name")
        }
    }

    /// Whether a text is a contact of RFC 9116 §2.5.3. It is written on a line of its own, so it must not contain a
    /// line break.
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
