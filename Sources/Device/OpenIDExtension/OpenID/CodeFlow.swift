import Ground
import SingleSignOnWire
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One run of the authorization code flow with PKCE. RFC 6749 §4.1, RFC 7636, RFC 9207.
struct CodeFlow: Sendable {
    let provider: Provider
    let request: TokenRequest
    let redirectURI: String
    /// Binds the answer to this request. The app's own `state` is not sent to the provider.
    private let state: String
    private let verifier: String
    /// Binds the identity token to this request.
    let nonce: String

    init(_ request: TokenRequest, redirectURI: String, at provider: Provider) {
        self.provider = provider
        self.request = request
        self.redirectURI = redirectURI
        state = Secret(from: provider.surroundings).text
        verifier = Secret(from: provider.surroundings).text
        nonce = request.nonce ?? Secret(from: provider.surroundings).text
    }

    private var metadata: ProviderMetadata { provider.metadata }

    /// The URL of the authorization request.
    /// - Parameter isSilent: whether to send `prompt=none`, so that the provider shows nothing.
    func url(isSilent: Bool) throws -> URL {
        guard let endpoint = URL(string: metadata.authorizationEndpoint) else {
            throw AuthorizationFailure(.failed, "The provider names no usable address.")
        }
        var fields = [
            FormField("response_type", "code"), FormField("client_id", request.wish.client),
            FormField("redirect_uri", redirectURI), FormField("scope", request.wish.scopes.joined(separator: " ")),
            FormField("state", state), FormField("code_challenge", sha256(verifier).base64URLEncoded),
            FormField("code_challenge_method", "S256"),
        ]
        if request.wish.scopes.contains("openid") { fields.append(FormField("nonce", nonce)) }
        fields += request.wish.resources.map { FormField("resource", $0) }
        if provider.settings.dpop { fields.append(FormField("dpop_jkt", try provider.deviceKey().thumbprint)) }
        fields += request.further.filter { $0.name != "prompt" || !isSilent }
        if isSilent { fields.append(FormField("prompt", "none")) }
        return endpoint.adding(fields)
    }

    /// Whether a URL is the redirect URI, whatever its query.
    func isReturn(_ url: URL) -> Bool {
        guard let wanted = URL(string: redirectURI) else { return false }
        func bare(_ url: URL) -> Substring { url.absoluteString.prefix { $0 != "?" && $0 != "#" } }
        if bare(url) == bare(wanted) { return true }
        return url.scheme?.lowercased() == wanted.scheme?.lowercased() && url.origin == wanted.origin
            && url.origin != nil && url.path() == wanted.path()
    }

    /// Checks the provider's answer and exchanges its code for tokens.
    /// - Parameter answer: the parameters of the return URL, or of the form that was posted to it.
    /// - Throws: `AuthorizationFailure`, ``Provider/Refusal``, ``HTTPFailure``
    func finish(_ answer: [FormField]) async throws -> SavedTokens {
        guard answer.only("state") == state else {
            throw AuthorizationFailure(.failed, "The provider's answer is not for this request: its state is wrong.")
        }
        let issuer = answer.only("iss")
        guard issuer == nil || issuer == metadata.issuer, issuer != nil || metadata.sendsIssuer != true else {
            throw AuthorizationFailure(.failed, "The answer does not come from \(metadata.issuer).")
        }
        if let error = answer.only("error") { throw Self.failure(error, answer.only("error_description")) }
        guard let code = answer.only("code") else {
            throw AuthorizationFailure(.failed, "The provider's answer has no code.")
        }
        let tokens = try await provider.tokens(
            [
                FormField("grant_type", "authorization_code"), FormField("code", code),
                FormField("redirect_uri", redirectURI), FormField("code_verifier", verifier),
            ] + request.wish.resources.map { FormField("resource", $0) })
        return try await saved(tokens, expecting: nonce, before: nil)
    }

    /// Exchanges a refresh token for new tokens. RFC 6749 §6. If an earlier answer was lost before it was saved, a
    /// provider that supports idempotency keys repeats it.
    func refresh(_ saved: SavedTokens, with refreshToken: String) async throws -> SavedTokens {
        let tokens = try await provider.tokens(
            [FormField("grant_type", "refresh_token"), FormField("refresh_token", refreshToken)]
                + request.wish.resources.map { FormField("resource", $0) },
            idempotencyKey: saved.idempotencyKey)
        return try await self.saved(tokens, expecting: nil, before: saved)
    }

    private func saved(
        _ answer: Provider.TokenAnswer, expecting nonce: String?, before: SavedTokens?
    ) async throws -> SavedTokens {
        var identity: IdentityToken?
        if let token = answer.identityToken { identity = try await verify(token, nonce: nonce) }
        if let identity {
            try Self.check(identity, after: before)
        } else if nonce != nil, request.wish.scopes.contains("openid") {
            throw AuthorizationFailure(.failed, "The provider gave no identity token.")
        }
        let type = try Self.tokenType(answer.tokenType, isBound: provider.settings.dpop)
        let now = provider.surroundings.now()
        return SavedTokens(
            wish: request.wish, accessToken: answer.accessToken, tokenType: type,
            scope: answer.scope ?? before?.scope ?? request.wish.scopes.joined(separator: " "),
            expiresAt: answer.expiresIn.map { now.addingTimeInterval(min(max($0, 0), 366 * 86_400)) },
            identityToken: answer.identityToken ?? before?.identityToken,
            nonce: identity == nil ? before?.nonce : identity?.nonce,
            refreshToken: answer.refreshToken ?? before?.refreshToken,
            idempotencyKey: Secret(from: provider.surroundings).text)
    }

    /// Checks that a refreshed identity token is for the same person and the same request. OpenID Connect Core §12.2.
    /// - Parameter before: the tokens that are replaced. Their identity token was verified when it was received.
    static func check(_ identity: IdentityToken, after before: SavedTokens?) throws {
        if let known = before?.identityToken.flatMap(IdentityToken.subject), known != identity.subject {
            throw AuthorizationFailure(
                .failed, "The provider's new identity token is of another person. Sign in again.")
        }
        if let known = before?.nonce, let nonce = identity.nonce, known != nonce {
            throw AuthorizationFailure(
                .failed, "The provider's new identity token is of another request: its nonce is wrong. Sign in again.")
        }
    }

    /// Checks the type of an access token. RFC 6749 §7.1; if none is named, it is a bearer token.
    /// - Parameter isBound: whether the token has to be bound to this device. RFC 9449 §5.
    static func tokenType(_ type: String?, isBound: Bool) throws -> String {
        let type = type ?? "Bearer"
        guard type.lowercased() == (isBound ? "dpop" : "bearer") else {
            throw AuthorizationFailure(
                .failed,
                "The provider gave a token of the type “\(type)”"
                    + (isBound
                        ? ", although ExtensionData.dpop wants one that is bound to this device." : ", unknown here."))
        }
        return type
    }

    private func verify(_ token: String, nonce: String?) async throws -> IdentityToken {
        let expected = IdentityToken.Expected(
            issuer: metadata.issuer, client: request.wish.client, nonce: nonce, now: provider.surroundings.now())
        do {
            return try IdentityToken(token, keys: await provider.keys(), expected: expected)
        } catch let missing as IdentityToken.KeyMissing {
            throw AuthorizationFailure(.failed, missing.description)
        }
    }

    /// Translates an error of the authorization endpoint. RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6.
    private static func failure(_ error: String, _ details: String?) -> AuthorizationFailure {
        let code: AuthorizationFailure.Code = SilentRequest.errors.contains(error) ? .notInteractive : .failed
        let words = details.map { " (\($0.prefix(200)))" } ?? ""
        return AuthorizationFailure(
            code: code.rawValue, message: "The provider refuses: \(error)\(words).", userInfo: ["error": error])
    }
}
