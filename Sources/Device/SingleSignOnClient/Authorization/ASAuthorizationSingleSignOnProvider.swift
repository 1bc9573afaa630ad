import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What makes requests. Apple has other kinds; here there is one.
public protocol ASAuthorizationProvider: Sendable {}

/// Where an app of any kind begins: it names the identity provider, and the device's profiles say which extension serves it.
///
/// ```swift
/// let provider = ASAuthorizationSingleSignOnProvider(identityProvider: URL(string: "https://id.acme.test/")!)
/// guard provider.canPerformAuthorization else { return try await signInMyself() }
/// ```
/// docs/specifications/extensible-single-sign-on.md, 15.
public struct ASAuthorizationSingleSignOnProvider: ASAuthorizationProvider, Hashable {
    /// Of the identity provider, or one of ``SingleSignOnURL``'s forms.
    public let url: URL
    let broker: BrokerClient

    public static func == (left: Self, right: Self) -> Bool { left.url == right.url }

    public func hash(into hasher: inout Hasher) { hasher.combine(url) }

    /// - Parameter broker: another one than the user's own, for tests.
    public init(identityProvider url: URL, broker: BrokerClient = BrokerClient()) {
        self.url = url
        self.broker = broker
    }

    /// Whether an extension on this device serves the URL now. A question that takes less than a millisecond, and false after
    /// a second at most.
    public var canPerformAuthorization: Bool {
        let url = SingleSignOnURL.canonical(self.url)
        for code in SingleSignOnURL.isSpecial(url) ? [401] : [0, 401] {
            // A broker that does not answer is not asked again.
            guard let match = BlockingMatch.ask(socketPath: broker.socketPath, url: url, responseCode: code) else {
                return false
            }
            if match.isCovered { return true }
        }
        return false
    }

    public func createRequest() -> ASAuthorizationSingleSignOnRequest { ASAuthorizationSingleSignOnRequest(self) }
}

/// The forms by which an app names a credential extension by its realm or host. Apple's talk mentions them and does not name
/// them; these are ours. docs/specifications/extensible-single-sign-on.md, 15.6.
public enum SingleSignOnURL {
    /// `sso-realm:REALM`: the payload with this realm, capitals and all.
    public static let realmScheme = "sso-realm"
    /// `sso-host:NAME`: the payload whose hosts cover the name.
    public static let hostScheme = "sso-host"
    /// As the talk calls them.
    private static let aliases = ["realm": realmScheme, "host": hostScheme]

    /// The URL as the broker takes it: `realm://ACME` is `sso-realm:ACME`.
    static func canonical(_ url: URL) -> String { canonical(url.absoluteString) }

    static func canonical(_ text: String) -> String {
        guard let colon = text.firstIndex(of: ":") else { return text }
        let written = text[..<colon].lowercased()
        let scheme = aliases[written] ?? written
        guard scheme == realmScheme || scheme == hostScheme else { return text }
        var name = text[text.index(after: colon)...]
        if name.hasPrefix("//") { name = name.dropFirst(2) }
        return "\(scheme):\(FormEncoding.decodePathSegment(String(name)) ?? String(name))"
    }

    static func isSpecial(_ canonical: String) -> Bool {
        canonical.hasPrefix("\(realmScheme):") || canonical.hasPrefix("\(hostScheme):")
    }
}
