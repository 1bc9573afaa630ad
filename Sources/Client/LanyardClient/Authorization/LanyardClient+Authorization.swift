import Foundation
import LanyardAPI

extension LanyardClient {
    /// The URL to which the browser of an organization's administrator is sent, to consent to data sharing.
    ///
    /// It comes back to the redirect URI with `code` and `state`, or with `error` and `state`, in the query. Read that
    /// with `AuthorizationAnswer(_:state:)`, which refuses an answer to another request.
    /// - Parameters:
    ///   - redirectURI: one of the app's return URLs, exactly as it is registered.
    ///   - scopes: what the app wants to read, such as `.usersRead` and `.classesRead`.
    ///   - state: a random value that is kept with this browser and compared with the one that returns, so that nobody
    ///     can slip in an answer of their own. `AuthorizationAttempt.state` is one.
    ///   - nonce: a random value that comes back in the identity token; pass it to `verify(identityToken:nonce:)`.
    ///   - codeChallenge: `base64url(SHA-256(verifier))`, without padding, of the `codeVerifier` that is passed to
    ///     `exchange(code:redirectURI:codeVerifier:)`. The method is `S256`; RFC 7636 section 4.2. Nil if the app does
    ///     without PKCE.
    public func authorizationURL(
        redirectURI: String,
        scopes: [Scope],
        state: String,
        nonce: String? = nil,
        codeChallenge: String? = nil
    ) -> String {
        let parameters: FormParameters = [
            "client_id": configuration.clientID,
            "redirect_uri": redirectURI,
            "response_type": "code",
            "scope": scopes.scopeList,
            "state": state,
            "nonce": nonce,
            "code_challenge": codeChallenge,
            "code_challenge_method": codeChallenge.map { _ in "S256" },
        ]
        return parameters.appended(to: configuration.authorizationBaseURL + "/authorize")
    }

    /// Exchanges an authorization code for tokens. A code can be used once.
    /// - Parameters:
    ///   - redirectURI: the same as in the authorization URL.
    ///   - codeVerifier: the one whose challenge was in the authorization URL.
    /// - Throws: `LanyardClientError`: `.oauth` with `invalid_grant` if the code is unknown, was used before or has
    ///   expired.
    public func exchange(code: String, redirectURI: String, codeVerifier: String? = nil) async throws -> Tokens {
        try await requestTokens([
            "client_id": configuration.clientID,
            "client_secret": secretSigner.secret(),
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirectURI,
            "code_verifier": codeVerifier,
        ])
    }

    /// Gets a new access token. A `RosterSession` does this by itself.
    public func refresh(_ refreshToken: String) async throws -> Tokens {
        try await requestTokens([
            "client_id": configuration.clientID,
            "client_secret": secretSigner.secret(),
            "grant_type": "refresh_token",
            "refresh_token": refreshToken,
        ])
    }

    /// Revokes the grant behind a token. Succeeds also if it was revoked before.
    public func revoke(_ token: String, hint: TokenTypeHint? = nil) async throws {
        let parameters: FormParameters = try await [
            "client_id": configuration.clientID,
            "client_secret": secretSigner.secret(),
            "token": token,
            "token_type_hint": hint?.rawValue,
        ]
        _ = try await post(parameters, to: "/revoke")
    }

    private func requestTokens(_ parameters: FormParameters) async throws -> Tokens {
        let requestedAt = now()
        let response = try await post(parameters, to: "/token").decode(TokenResponse.self)
        return Tokens(response, requestedAt: requestedAt)
    }

    private func post(_ parameters: FormParameters, to path: String) async throws -> WireResponse {
        try await transport(WireRequest(.post(form: parameters.encoded), configuration.authorizationBaseURL + path))
            .accepted()
    }
}
