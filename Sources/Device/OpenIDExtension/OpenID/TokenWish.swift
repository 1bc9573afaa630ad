import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which tokens an app wants: what was saved for one wish serves no other.
struct TokenWish: Codable, Hashable, Sendable {
    let issuer: String
    let client: String
    /// Sorted, each once.
    let scopes: [String]
    /// RFC 8707; sorted.
    let resources: [String]
    /// What else decides what a token is good for.
    let qualifiers: [FormField]
}

/// What an app asks with its operation. Its query items are RFC 6749's and OpenID Connect's.
struct TokenRequest: Hashable, Sendable {
    let wish: TokenWish
    let redirectURI: String
    /// Of the app, to be given back.
    let state: String?
    let nonce: String?
    /// An access token that somebody has refused already: the app wants another.
    let refusedToken: String?
    /// For the authorization endpoint, as the app gives them.
    let further: [FormField]

    /// What the provider is to ask, if the app decides that itself.
    var prompt: String? { further.only("prompt") }

    /// Somebody who sends a nonce wants an identity token with it.
    func accepts(_ tokens: SavedTokens) -> Bool { nonce == nil || nonce == tokens.nonce }

    /// Registered as it stands with most providers; any port counts. RFC 8252 §7.3.
    static let usualRedirectURI = "http://127.0.0.1/callback"

    private static let passed = [
        "prompt", "max_age", "acr_values", "login_hint", "ui_locales", "claims", "audience", "domain_hint", "hd",
        "display",
    ]
    private static let qualifying: Set<String> = ["acr_values", "claims", "audience"]

    /// - Throws: `AuthorizationFailure` if the app or the profile has to say more.
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
        // A secret or a key of the profile speaks for the profile's client, and for no other that an app names.
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
