import AsyncHTTPClient
import Foundation
import LanyardAPI

/// A client for standard OpenID Connect: for an app without a server or a secret of its own, or one that also works
/// with other providers.
///
/// The provider's endpoints come from its discovery document, which is read when first needed and once a day after
/// that. Every method throws `LanyardClientError`, or `CancellationError` if its task is canceled meanwhile.
public struct OpenIDClient: Sendable {
    public struct Configuration: Sendable {
        /// The `iss` of the provider's tokens and of its discovery document.
        public var issuer: String
        /// The URL of the provider's discovery document.
        public var discoveryURL: String
        /// The app's client id at the provider.
        public var clientID: String
        /// Nil for a public client, which relies on PKCE alone.
        public var clientSecret: String?
        /// The allowed difference between the provider's clock and ours when a token is verified.
        public var clockTolerance = Duration.seconds(60)
        /// The time limit for one request with its whole answer.
        public var requestTimeout = Duration.seconds(30)

        /// Any provider whose document is where OpenID Connect Discovery says.
        public init(issuer: String, clientID: String, clientSecret: String? = nil) {
            self.issuer = issuer
            self.clientID = clientID
            self.clientSecret = clientSecret
            let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
            discoveryURL = base + "/.well-known/openid-configuration"
        }

        /// A Lanyard server.
        /// - Parameters:
        ///   - baseURL: the origin, `https://lanyard.example`.
        ///   - issuer: `{baseURL}/oidc` unless given.
        public init(baseURL: String, clientID: String, clientSecret: String? = nil, issuer: String? = nil) {
            let origin = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
            self.init(issuer: issuer ?? origin + "/oidc", clientID: clientID, clientSecret: clientSecret)
            discoveryURL = origin + "/oidc/.well-known/openid-configuration"
        }
    }

    public let configuration: Configuration
    let transport: Transport
    let provider: DiscoveredProvider
    let now: @Sendable () -> Date
    let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - httpClient: the client for all requests. Redirects never get secrets, whatever its configuration.
    ///   - now: the clock by which tokens expire.
    ///   - sleep: waits between two polls of a device, and for a person at most as long as a sign-in may take.
    public init(
        configuration: Configuration,
        httpClient: HTTPClient = .withoutRedirects,
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.init(
            configuration: configuration, transport: httpClient.transport(timeout: configuration.requestTimeout),
            now: now, sleep: sleep)
    }

    package init(
        configuration: Configuration,
        transport: @escaping Transport,
        now: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.configuration = configuration
        self.transport = transport
        self.now = now
        self.sleep = sleep
        provider = DiscoveredProvider(configuration: configuration, transport: transport, now: now)
    }

    /// The provider's discovery document.
    public func metadata() async throws -> ProviderMetadata {
        try await provider.current().metadata
    }

    /// The URL to which the browser of a person who wants to sign in is sent. The answer comes in a query.
    /// - Parameters:
    ///   - redirectURI: one of the URLs that are registered for the client, to which the browser returns.
    ///   - scopes: `openid` is added.
    ///   - attempt: a new one, to be kept with this browser for ``finish(_:attempt:redirectURI:)``.
    ///   - prompt: `login` asks for the password again, `consent` for permission, `none` shows no page at all.
    ///   - loginHint: who is expected to sign in, such as an email address.
    /// - Throws: `LanyardClientError`, if the discovery document cannot be read.
    public func authorizationURL(
        redirectURI: String,
        scopes: [Scope],
        attempt: AuthorizationAttempt,
        prompt: String? = nil,
        loginHint: String? = nil
    ) async throws -> String {
        let parameters: FormParameters = [
            "client_id": configuration.clientID,
            "redirect_uri": redirectURI,
            "response_type": "code",
            "scope": scopes.withOpenID.scopeList,
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": attempt.codeChallenge,
            "code_challenge_method": "S256",
            "prompt": prompt,
            "login_hint": loginHint,
        ]
        return parameters.appended(to: try await metadata().authorizationEndpoint)
    }

    /// Completes a sign-in after the browser's return: checks the issuer of the answer, exchanges the code, and
    /// verifies the identity token.
    /// - Parameters:
    ///   - answer: what the browser has brought back, read with the state of the attempt.
    ///   - attempt: the one with which this browser was sent.
    ///   - redirectURI: exactly that of the authorization request; the provider refuses the code otherwise.
    /// - Throws: `LanyardClientError`: `.invalidToken(.wrongIssuer)` if another provider has answered, `.oauth` if the
    ///   code is refused, `.unexpectedAnswer` if there is no identity token, `.invalidToken` if it must not be trusted,
    ///   `.transport` if the provider cannot be reached. Nobody is signed in then.
    public func finish(
        _ answer: AuthorizationAnswer,
        attempt: AuthorizationAttempt,
        redirectURI: String
    ) async throws -> OpenIDResult {
        let provider = try await provider.current()
        try requireIssuer(of: answer, provider.metadata)
        let tokens = try await requestTokens(
            [
                "grant_type": "authorization_code",
                "code": answer.code,
                "redirect_uri": redirectURI,
                "code_verifier": attempt.codeVerifier,
                "client_id": configuration.clientID,
                "client_secret": configuration.clientSecret,
            ], from: provider)
        return try await result(tokens, nonce: attempt.nonce, from: provider)
    }

    /// Prevents mix-up attacks: a code of one provider must not be sent to another. RFC 9207 section 2.4.
    private func requireIssuer(of answer: AuthorizationAnswer, _ metadata: ProviderMetadata) throws {
        if let issuer = answer.issuer {
            guard issuer == configuration.issuer else { throw LanyardClientError.invalidToken(.wrongIssuer) }
        } else if metadata.authorizationResponseIssuerSupported == true {
            throw LanyardClientError.invalidToken(.wrongIssuer)
        }
    }

    /// Gets new tokens for a refresh token. This may use it up, so store the new one. Two refreshes with the same token
    /// look like theft and end the sign-in; an `OpenIDSession` takes care of both. With the same key, a Lanyard server
    /// treats the second one as a repetition and gives the same answer.
    public func refresh(_ refreshToken: KeptRefreshToken) async throws -> Tokens {
        try await requestTokens(
            [
                "grant_type": "refresh_token",
                "refresh_token": refreshToken.token,
                "client_id": configuration.clientID,
                "client_secret": configuration.clientSecret,
            ], from: provider.current(), idempotencyKey: refreshToken.idempotencyKey)
    }

    /// Revokes the grant behind a token. RFC 7009. Does nothing if the provider has no revocation endpoint.
    public func revoke(_ token: String, hint: TokenTypeHint? = nil) async throws {
        guard let endpoint = try await metadata().revocationEndpoint else { return }
        let parameters: FormParameters = [
            "token": token,
            "token_type_hint": hint?.rawValue,
            "client_id": configuration.clientID,
            "client_secret": configuration.clientSecret,
        ]
        _ = try await transport(WireRequest(.post(form: parameters.encoded), endpoint)).accepted()
    }

    /// Asks the provider's userinfo endpoint about a person.
    /// - Parameter subject: the subject of the identity token. An answer about somebody else is refused.
    public func userInfo(_ accessToken: AccessToken, subject: String) async throws -> UserInfo {
        guard let endpoint = try await metadata().userInfoEndpoint else {
            throw LanyardClientError.unexpectedAnswer(
                status: 200, "The provider has no userinfo endpoint.", requestID: nil)
        }
        let response = try await transport(WireRequest(.get, endpoint, accessToken: accessToken.value))
        if response.status == 401 {
            throw LanyardClientError.oauth(.invalidToken, requestID: response.requestID)
        }
        let info = try response.accepted().decode(UserInfo.self)
        guard info.subject == subject else { throw LanyardClientError.invalidToken(.wrongSubject) }
        return info
    }

    /// The URL to which a browser is sent to sign out at the provider too. OpenID Connect RP-Initiated Logout section
    /// 2.
    /// - Parameters:
    ///   - identityToken: the last one of this person, expired or not, by which the provider knows who signs out; nil
    ///     if the app has none any more, and then the provider may ask.
    ///   - postLogoutRedirectURI: where the browser goes afterwards: one of the URLs that are registered for it. Nil to
    ///     end on a page of the provider.
    ///   - state: comes back with the browser as `state`; of no use without a URL to return to.
    /// - Returns: nil if the provider has no such page.
    /// - Throws: `LanyardClientError`, if the discovery document cannot be read.
    public func endSessionURL(
        identityToken: String?,
        postLogoutRedirectURI: String? = nil,
        state: String? = nil
    ) async throws -> String? {
        let parameters: FormParameters = [
            "client_id": configuration.clientID,
            "id_token_hint": identityToken,
            "post_logout_redirect_uri": postLogoutRedirectURI,
            "state": state,
        ]
        return try await metadata().endSessionEndpoint.map { parameters.appended(to: $0) }
    }

    /// Checks signature, issuer, audience, times and nonce.
    /// - Parameter nonce: the nonce of the request; nil if it had none, and after a refresh.
    public func verify(
        identityToken token: String,
        nonce: String?,
        accessToken: String? = nil
    ) async throws -> IdentityToken {
        try await verifier(provider.current())
            .verify(identityToken: token, nonce: nonce, accessToken: accessToken)
    }

    func result(_ tokens: Tokens, nonce: String?, from provider: DiscoveredProvider.Current) async throws
        -> OpenIDResult
    {
        guard let token = tokens.identityToken else {
            throw LanyardClientError.unexpectedAnswer(status: 200, "There is no identity token.", requestID: nil)
        }
        let identity = try await verifier(provider)
            .verify(identityToken: token, nonce: nonce, accessToken: tokens.accessToken.value)
        return OpenIDResult(identity: identity, tokens: tokens)
    }

    func requestTokens(
        _ parameters: FormParameters, from provider: DiscoveredProvider.Current, idempotencyKey: String? = nil
    ) async throws -> Tokens {
        let requestedAt = now()
        let request = WireRequest(
            .post(form: parameters.encoded), provider.metadata.tokenEndpoint, idempotencyKey: idempotencyKey)
        let response = try await transport(request).accepted().decode(TokenResponse.self)
        return Tokens(response, requestedAt: requestedAt)
    }

    func verifier(_ provider: DiscoveredProvider.Current) -> TokenVerifier {
        TokenVerifier(
            keys: provider.keys, issuer: configuration.issuer, audience: configuration.clientID,
            clockTolerance: configuration.clockTolerance, now: now)
    }
}

/// Somebody has signed in.
public struct OpenIDResult: Equatable, Sendable {
    /// The verified identity token.
    public var identity: IdentityToken
    public var tokens: Tokens
}

extension [Scope] {
    /// The scopes with `openid` in front, without which there is no identity token.
    var withOpenID: [Scope] {
        contains(.openID) ? self : [.openID] + self
    }
}

extension OpenIDClient.Configuration: CustomReflectable {
    /// Hides the secret, so that it does not get into a log.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["issuer": issuer, "discoveryURL": discoveryURL, "clientID": clientID],
            displayStyle: .struct)
    }
}
