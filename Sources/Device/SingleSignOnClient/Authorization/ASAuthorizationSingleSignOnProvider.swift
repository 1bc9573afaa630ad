import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A provider makes requests. Apple has several kinds of providers; here there is one.
public protocol ASAuthorizationProvider: Sendable {}

/// The starting point for every app: it names the identity provider, and the device's profiles say which extension
/// serves it.
///
/// ```swift
/// let provider = ASAuthorizationSingleSignOnProvider(identityProvider: URL(string: "https://id.acme.test/")!)
/// guard provider.canPerformAuthorization else { return try await signInMyself() }
/// ```
/// docs/specifications/extensible-single-sign-on.md, 15.
public struct ASAuthorizationSingleSignOnProvider: ASAuthorizationProvider, Hashable {
    /// The identity provider's URL, or a URL in one of the forms of ``SingleSignOnURL``.
    public let url: URL
    let broker: BrokerClient

    public static func == (left: Self, right: Self) -> Bool { left.url == right.url }

    public func hash(into hasher: inout Hasher) { hasher.combine(url) }

    /// - Parameter broker: tests pass one that is not the user's own.
    public init(identityProvider url: URL, broker: BrokerClient = BrokerClient()) {
        self.url = url
        self.broker = broker
    }

    /// Whether an extension on this device serves the URL now. The question normally takes less than a millisecond;
    /// after one second without an answer the result is false.
    public var canPerformAuthorization: Bool {
        let url = SingleSignOnURL.canonical(self.url)
        for code in SingleSignOnURL.isSpecial(url) ? [401] : [0, 401] {
            // If the broker did not answer the first question, the second would only cost another second.
            guard let match = BlockingMatch.ask(socketPath: broker.socketPath, url: url, responseCode: code) else {
                return false
            }
            if match.isCovered { return true }
        }
        return false
    }

    public func createRequest() -> ASAuthorizationSingleSignOnRequest { ASAuthorizationSingleSignOnRequest(self) }
}

/// URLs by which an app names a credential extension by its realm or host. Apple's session mentions such URLs without
/// saying how they are written; these forms are ours. docs/specifications/extensible-single-sign-on.md, 15.6.
public enum SingleSignOnURL {
    /// `sso-realm:REALM`: the payload with exactly this realm, in the same case.
    public static let realmScheme = "sso-realm"
    /// `sso-host:NAME`: the payload whose hosts cover the name.
    public static let hostScheme = "sso-host"
    /// The scheme names of Apple's WWDC session, mapped to ours.
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
