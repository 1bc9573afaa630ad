import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which tokens an app wants. Saved tokens are used only for an equal wish.
struct TokenWish: Codable, Hashable, Sendable {
    let issuer: String
    let client: String
    /// Sorted, each once.
    let scopes: [String]
    /// Resource indicators, sorted. RFC 8707.
    let resources: [String]
    /// Other parameters that change what a token allows, such as `acr_values`.
    let qualifiers: [FormField]
}

/// An app's request for tokens. Its options have the parameter names of RFC 6749 and OpenID Connect.
struct TokenRequest: Hashable, Sendable {
    let wish: TokenWish
    let redirectURI: String
    /// The app's own state, which is returned to it.
    let state: String?
    let nonce: String?
    /// An access token that a server has refused, so that the app needs another.
    let refusedToken: String?
    /// Parameters that are passed to the authorization endpoint unchanged.
    let further: [FormField]

    /// The app's `prompt`, if it sets one. OpenID Connect Core §3.1.2.1.
    var prompt: String? { further.only("prompt") }

    /// An app that sends a nonce accepts only an identity token with that nonce.
    func accepts(_ tokens: SavedTokens) -> Bool { nonce == nil || nonce == tokens.nonce }

    /// A loopback redirect URI that most providers allow to be registered, with any port. RFC 8252 §7.3.
    static let usualRedirectURI = "http://127.0.0.1/callback"

    private static let passed = [
        "prompt", "max_age", "acr_values", "login_hint", "ui_locales", "claims", "audience", "domain_hint", "hd",
        "display",
    ]
    private static let qualifying: Set<String> = ["acr_values", "claims", "audience"]

    /// - Throws: `AuthorizationFailure` if neither app nor profile names a client, or the redirect URI is not usable.
    init(_ options: [String: PropertyListValue], url: URL, settings: Settings) throws {
        func text(_ names: String...) -> String? {
            for name in names { if let text = options[name]?.text, !text.isEmpty { return text } }
            return nil
        }
        func list(_ names: String...) -> [String] {
            for name in names {
                if let texts = options[name]?.elements { return texts.compactMap(\.text) }
                if let text = options[name]?.text {
                    return text.split(whereSeparator: \.isWhitespace).map(String.init)
                }
            }
            return []
        }
        let address = String(url.absoluteString.prefix { $0 != "?" && $0 != "#" })
        guard let client = text("client_id") ?? settings.clientID else {
            throw AuthorizationFailure(
                .failed, "No client is known: pass client_id, or write ExtensionData.clientID in the profile.")
        }
        // The profile's secret or key authenticates the profile's client only, not another one that an app names.
        guard settings.clientAuthentication == .none || client == settings.clientID else {
            throw AuthorizationFailure(
                .failed,
                "ExtensionData.clientAuthentication of the profile is for ExtensionData.clientID, and not for the client "
                    + "“\(client)”.")
        }
        var further = Self.passed.compactMap { name in text(name).map { FormField(name, $0) } }
        let scopes = Set(list("scope", "scopes"))
        wish = TokenWish(
            issuer: settings.issuer ?? address, client: client,
            scopes: (scopes.isEmpty ? ["openid"] : scopes).sorted(), resources: Set(list("resource")).sorted(),
            qualifiers: further.filter { Self.qualifying.contains($0.name) })
        redirectURI = text("redirect_uri") ?? settings.redirectURI ?? Self.usualRedirectURI
        guard let url = URL(string: redirectURI), url.scheme != nil, url.fragment() == nil else {
            throw AuthorizationFailure(.failed, "redirect_uri is no absolute URL.")
        }
        state = text("state")
        nonce = text("nonce")
        refusedToken = text("access_token")
        if let username = settings.username, !further.contains(where: { $0.name == "login_hint" }) {
            further.append(FormField("login_hint", username))
        }
        self.further = further
    }
}
