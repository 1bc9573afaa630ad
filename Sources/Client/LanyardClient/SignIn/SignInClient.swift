import Foundation
import LanyardAPI

/// Signs people in to an app, as seen from the app's own server. Personal and managed accounts come the same way.
///
/// ```swift
/// let attempt = AuthorizationAttempt.random()  // keep it with this browser, for an hour
/// let url = client.signIn.authorizationURL(redirectURI: callback, scopes: [.name, .email], attempt: attempt)
/// // Send the browser there. It comes back to the callback with a form, if a name or an address was asked for:
/// let answer = try AuthorizationAnswer(body, state: attempt.state)
/// let person = try await client.signIn.finish(answer, attempt: attempt, redirectURI: callback)
/// ```
public struct SignInClient: Sendable {
    let client: LanyardClient

    private var configuration: LanyardClient.Configuration { client.configuration }

    /// The URL to which the browser of a person who wants to sign in is sent.
    /// - Parameters:
    ///   - scopes: `name`, `email`, both or none.
    ///   - responseMode: by default a form if scopes or an identity token are requested, which require it, and
    ///     otherwise a query.
    public func authorizationURL(
        redirectURI: String,
        scopes: [Scope] = [],
        attempt: AuthorizationAttempt,
        responseType: ResponseType = .code,
        responseMode: ResponseMode? = nil
    ) -> String {
        let mode = responseMode ?? (scopes.isEmpty && responseType == .code ? .query : .formPost)
        let parameters: FormParameters = [
            "client_id": configuration.clientID,
            "redirect_uri": redirectURI,
            "response_type": responseType.rawValue,
            "response_mode": mode.rawValue,
            "scope": scopes.isEmpty ? nil : scopes.scopeList,
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": attempt.codeChallenge,
            "code_challenge_method": "S256",
        ]
        return parameters.appended(to: configuration.signInBaseURL + "/authorize")
    }

    /// Completes a sign-in after the browser's return: verifies the identity token in the answer if there is one,
    /// exchanges the code, and verifies the identity token of the exchange.
    /// - Throws: `LanyardClientError`; nobody is signed in then.
    public func finish(
        _ answer: AuthorizationAnswer,
        attempt: AuthorizationAttempt,
        redirectURI: String
    ) async throws -> SignInResult {
        var subject: String?
        if let token = answer.identityToken {
            subject = try await verify(identityToken: token, nonce: attempt.nonce, code: answer.code).subject
        }
        let tokens = try await exchange(
            code: answer.code, redirectURI: redirectURI, codeVerifier: attempt.codeVerifier)
        guard let token = tokens.identityToken else {
            throw LanyardClientError.unexpectedAnswer(status: 200, "There is no identity token.", requestID: nil)
        }
        let identity = try await verify(
            identityToken: token, nonce: attempt.nonce, accessToken: tokens.accessToken.value)
        guard subject ?? identity.subject == identity.subject else {
            throw LanyardClientError.invalidToken(.wrongSubject)
        }
        return SignInResult(identity: identity, user: answer.user, tokens: tokens)
    }

    /// Exchanges an authorization code for tokens. A code can be used once.
    /// - Parameters:
    ///   - redirectURI: The same as in the authorization URL; nil for the code of a native app, see
    ///     `LanyardIDCredential`.
    ///   - codeVerifier: The one whose challenge was in the authorization URL.
    public func exchange(code: String, redirectURI: String?, codeVerifier: String? = nil) async throws -> Tokens {
        try await requestTokens([
            "client_id": configuration.clientID,
            "client_secret": client.secretSigner.secret(),
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirectURI,
            "code_verifier": codeVerifier,
        ])
    }

    /// Finds out whether a person still uses the app and may do so. Call it at most once a day for each person.
    /// - Returns: a new access token and a new identity token without a nonce.
    /// - Throws: `LanyardClientError.oauth` with `invalid_grant` if the person is to be signed out.
    public func refresh(_ refreshToken: String) async throws -> Tokens {
        try await requestTokens([
            "client_id": configuration.clientID,
            "client_secret": client.secretSigner.secret(),
            "grant_type": "refresh_token",
            "refresh_token": refreshToken,
        ])
    }

    /// Ends the person's use of this app, not only this token: the next sign-in is a first one again. Call it when the
    /// person's account in the app is deleted. Succeeds also if it was revoked before.
    public func revoke(_ token: String, hint: TokenTypeHint? = nil) async throws {
        let parameters: FormParameters = try await [
            "client_id": configuration.clientID,
            "client_secret": client.secretSigner.secret(),
            "token": token,
            "token_type_hint": hint?.rawValue,
        ]
        _ = try await post(parameters, to: "/revoke")
    }

    /// Checks signature, issuer, audience, times and nonce, and that the token belongs to what came with it.
    /// - Parameters:
    ///   - nonce: the nonce of the authorization request; nil if there was none, and after a refresh.
    ///   - code: The code that came beside the token in the browser or from a native app.
    ///   - accessToken: The access token that came beside it from the token endpoint.
    /// - Throws: `LanyardClientError.invalidToken`, or the reason why the keys could not be read.
    public func verify(
        identityToken token: String,
        nonce: String?,
        code: String? = nil,
        accessToken: String? = nil
    ) async throws -> IdentityToken {
        try await client.verifier(client.signInKeys)
            .verify(identityToken: token, nonce: nonce, code: code, accessToken: accessToken)
    }

    private func requestTokens(_ parameters: FormParameters) async throws -> Tokens {
        let requestedAt = client.now()
        let response = try await post(parameters, to: "/token").decode(TokenResponse.self)
        return Tokens(response, requestedAt: requestedAt)
    }

    private func post(_ parameters: FormParameters, to path: String) async throws -> WireResponse {
        try await client.transport(
            WireRequest(.post(form: parameters.encoded), configuration.signInBaseURL + path)
        ).accepted()
    }
}

/// Somebody has signed in.
public struct SignInResult: Equatable, Sendable {
    /// The verified identity token.
    public var identity: IdentityToken
    /// Present only the first time, so store the name. The person has typed it: treat it as untrusted text.
    public var user: SignInUser?
    public var tokens: Tokens

    public init(identity: IdentityToken, user: SignInUser?, tokens: Tokens) {
        self.identity = identity
        self.user = user
        self.tokens = tokens
    }
}
