import Foundation
import LanyardAPI

extension LanyardClient {
    /// The URL to which the browser of an organization's administrator is sent.
    ///
    /// It comes back to the redirect URI with `code` and `state`, or with `error` and `state`.
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
    ///   - redirectURI: The same as in the authorization URL.
    ///   - codeVerifier: The one whose challenge was in the authorization URL.
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
