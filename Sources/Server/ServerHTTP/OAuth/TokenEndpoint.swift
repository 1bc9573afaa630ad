import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import LanyardAPI

/// The token, revocation and key endpoints, in the manners of one profile.
///
/// Their paths are mounted by the routes of each profile: `/auth/oauth2/v2/token` by ``RosterOAuthRoutes``, `/auth/token`
/// by ``CompatibleRoutes``, `/oidc/token` by ``StandardRoutes``; the others are called likewise.
struct TokenEndpoint: Sendable {
    let profile: Profile
    let authenticator: ClientAuthenticator
    let tokens: TokenService
    let keys: SigningKeys
    /// The permitted values of `aud` in a standard client's assertion.
    var audiences: [String] = []
    let keySet = PublicDocument()

    private var manners: ProtocolManners { profile.manners }

    // MARK: Tokens

    func token(_ request: Request, context: AppContext) async throws -> Response {
        let form = try await request.formParameters(context)
        try form.requireNoRepeats()
        let grantType = try form["grant_type"]
        // While an app's people are handed over, its former team may authenticate too.
        let isForMigration = manners.handsPeopleOver && grantType == "client_credentials"
        let client = try await authenticate(request, form, ofEitherTeam: isForMigration)
        let origin = Origin.request(context)
        let answer: TokenService.Answer
        switch grantType {
        case "authorization_code":
            guard let code = try form["code"] ?? manners.otherCodeParameter.flatMap({ try form[$0] }) else {
                throw OAuthError(.invalidRequest, "code is missing")
            }
            answer = try await tokens.redeem(
                .init(code: code, redirectURI: try form["redirect_uri"], codeVerifier: try form["code_verifier"]),
                profile, client: client, origin: origin)
        case "refresh_token":
            guard let refreshToken = try form["refresh_token"] else {
                throw OAuthError(.invalidRequest, "refresh_token is missing")
            }
            answer = try await tokens.refresh(
                refreshToken, profile, scope: try form["scope"],
                idempotencyKey: manners.rotatesRefreshTokens
                    ? try request.headers[.idempotencyKey].map(IdempotencyKey.init) : nil,
                client: client, origin: origin)
        case "urn:ietf:params:oauth:grant-type:device_code" where manners.hasDeviceGrant:
            guard let deviceCode = try form["device_code"] else {
                throw OAuthError(.invalidRequest, "device_code is missing")
            }
            answer = try await tokens.redeem(deviceCode: deviceCode, client: client, origin: origin)
        case "client_credentials" where isForMigration:
            guard try form["scope"] == "user.migration" else {
                throw OAuthError(.invalidScope, "scope is not user.migration")
            }
            let token = try await tokens.appToken(client: client)
            return try .json(TokenResponse(accessToken: token, expiresIn: Int(AccessToken.lifetime)))
        case nil: throw OAuthError(.invalidRequest, "grant_type is missing")
        case .some: throw OAuthError(.unsupportedGrantType, "grant_type is none of this endpoint's")
        }
        return try .json(
            TokenResponse(
                accessToken: answer.accessToken, expiresIn: answer.expiresIn, refreshToken: answer.refreshToken,
                idToken: answer.identityToken, scope: manners.answersTellScopes ? answer.scopes.standardText : nil))
    }

    // MARK: Revocation

    func revoke(_ request: Request, context: AppContext) async throws -> Response {
        let form = try await request.formParameters(context)
        try form.requireNoRepeats()
        let client = try await authenticate(request, form)
        guard let token = try form["token"] else { throw OAuthError(.invalidRequest, "token is missing") }
        if !manners.ignoresUnknownTokenTypes, let hint = try form["token_type_hint"],
            !["refresh_token", "access_token"].contains(hint)
        {
            throw OAuthError(.invalidRequest, "token_type_hint is neither refresh_token nor access_token")
        }
        try await tokens.revoke(token, profile, client: client, origin: .request(context))
        return Response(status: .ok, headers: [.cacheControl: "no-store", .pragma: "no-cache"])
    }

    // MARK: Keys

    /// Mounts the key list. Credentials are ignored, because some clients send them as if this were userinfo
    /// (docs/specifications/sign-in.md, 8.2).
    func serveKeys(_ path: String, on router: some RouterMethods<AppContext>, _ standing: inout StandingAnswers) {
        // Clients that cannot choose an algorithm only know RSA keys.
        let algorithms = manners.clientsChooseAlgorithm ? SigningAlgorithm.allCases : [.rs256]
        // A list that was read long ago is read again by the route.
        standing.add(path) { asked in
            keys.publishedAtHand(algorithms).flatMap { try? keyList(of: $0, to: asked) }
        }
        router.get(RouterPath(path)) { request, _ in
            Response(try keyList(of: try await keys.published(algorithms), to: request.headers))
        }
    }

    private func keyList(of published: [SigningKey], to asked: HTTPFields) throws -> StandingAnswer {
        try keySet.answer(to: asked, version: published.map(\.keyID)) { JWKSet(keys: published.map(JWK.init)) }
    }

    // MARK: Client authentication

    /// Authenticates the client. A request may use only one method. RFC 6749 §2.3.
    func authenticate(
        _ request: Request, _ form: RequestParameters, ofEitherTeam isOfEitherTeam: Bool = false
    ) async throws -> ClientAuthenticator.Credentials {
        switch profile {
        case .roster:
            guard request.headers[.authorization] == nil else {
                throw OAuthError(.invalidRequest, "credentials belong in the form, not in the Authorization header")
            }
            guard try form["client_assertion"] == nil else {
                throw OAuthError(
                    .invalidRequest, "the client secret goes into client_secret, not into client_assertion")
            }
            return try await authenticator.credentials(
                clientID: try form["client_id"], clientSecret: try form["client_secret"])
        case .compatible:
            let (clientID, secret) = try compatibleCredentials(request, form)
            return try await authenticator.credentials(
                clientID: clientID, clientSecret: secret, ofEitherTeam: isOfEitherTeam)
        case .standard: return try await standardCredentials(request, form)
        }
    }

    /// The credentials in the form. Some clients send the same in a header too, or only there. A bearer token is not a
    /// client's credential. docs/specifications/sign-in.md, 6.7.
    private func compatibleCredentials(
        _ request: Request, _ form: RequestParameters
    ) throws -> (clientID: String?, secret: String?) {
        let inForm = (clientID: try form["client_id"], secret: try form["client_secret"])
        guard let header = try request.basicCredentials() else { return inForm }
        guard inForm.clientID == nil || inForm.clientID == header.clientID,
            inForm.secret == nil || inForm.secret == header.secret
        else { throw OAuthError(.invalidRequest, "form and Authorization header name different clients or secrets") }
        return (header.clientID, header.secret)
    }

    /// `client_secret_basic`, `client_secret_post`, `private_key_jwt`, `none`. OpenID Connect Core §9.
    private func standardCredentials(
        _ request: Request, _ form: RequestParameters
    ) async throws -> ClientAuthenticator.Credentials {
        let header = try request.basicCredentials()
        let secret = try form["client_secret"]
        let assertion = try form["client_assertion"]
        guard [header != nil, secret != nil, assertion != nil].count(where: { $0 }) <= 1 else {
            throw OAuthError.telling(.invalidRequest, "the client authenticates in more than one way")
        }
        let clientID = try form["client_id"]
        if let header {
            guard clientID == nil || clientID == header.clientID else {
                throw OAuthError.telling(.invalidRequest, "form and Authorization header name different clients")
            }
            return try authenticator.credentials(clientID: header.clientID, fixedSecret: header.secret)
        }
        if let assertion {
            guard try form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" else {
                throw OAuthError.telling(.invalidRequest, "client_assertion_type is not jwt-bearer")
            }
            return try await authenticator.credentials(
                clientID: clientID, assertion: assertion, audiences: audiences)
        }
        return try authenticator.credentials(clientID: clientID, fixedSecret: secret)
    }
}

extension JWK {
    fileprivate init(_ key: SigningKey) {
        switch key.publicHalf {
        case .rsa(let modulus, let exponent):
            self.init(
                rsaModulus: modulus.base64URLEncoded, exponent: exponent.base64URLEncoded, keyID: key.keyID)
        case .p256(let x, let y):
            self.init(p256X: x.base64URLEncoded, y: y.base64URLEncoded, keyID: key.keyID)
        }
    }
}

extension ScopeSet {
    /// The scopes by the names that standard clients use.
    var standardText: String {
        text.split(separator: " ").map { $0 == Authorization.Scope.name.rawValue ? "profile" : String($0) }.joined(
            separator: " ")
    }
}

extension HTTPField.Name {
    fileprivate static let idempotencyKey = HTTPField.Name("Idempotency-Key")!  // a valid token
}
