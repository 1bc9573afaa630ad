import Authorization
import Directory
import HTTPTypes
import Hummingbird
import LanyardAPI

/// `POST /auth/oauth2/v2/token`, `POST …/revoke`, `GET …/keys`.
struct TokenRoutes: Sendable {
    let authenticator: ClientAuthenticator
    let tokens: TokenService
    let signingKey: ServerKeys.SigningKey

    func mount(on router: some RouterMethods<AppContext>) {
        router.post("auth/oauth2/v2/token", use: token)
        router.post("auth/oauth2/v2/revoke", use: revoke)
        for method in [HTTPRequest.Method.get, .put, .patch, .delete] {
            router.on("auth/oauth2/v2/token", method: method, use: refuseMethod)
            router.on("auth/oauth2/v2/revoke", method: method, use: refuseMethod)
        }
        router.get("auth/oauth2/v2/keys", use: keys)
    }

    @Sendable private func token(_ request: Request, context: AppContext) async throws -> Response {
        let form = try await request.formParameters(context)
        let client = try await authenticate(request, form)
        let answer: TokenService.Answer
        switch try form["grant_type"] {
        case "authorization_code":
            // One description of the service calls it `grant_code`.
            guard let code = try form["code"] ?? form["grant_code"] else {
                throw OAuthError(.invalidRequest, "code is missing")
            }
            answer = try await tokens.redeem(
                code: code, redirectURI: try form["redirect_uri"], codeVerifier: try form["code_verifier"],
                client: client, origin: .request(context))
        case "refresh_token":
            guard let refreshToken = try form["refresh_token"] else {
                throw OAuthError(.invalidRequest, "refresh_token is missing")
            }
            answer = try await tokens.refresh(refreshToken, client: client)
        case nil: throw OAuthError(.invalidRequest, "grant_type is missing")
        case .some:
            throw OAuthError(.unsupportedGrantType, "grant_type is neither authorization_code nor refresh_token")
        }
        return try .json(
            TokenResponse(
                accessToken: answer.accessToken, expiresIn: answer.expiresIn, refreshToken: answer.refreshToken,
                idToken: answer.identityToken))
    }

    @Sendable private func revoke(_ request: Request, context: AppContext) async throws -> Response {
        let form = try await request.formParameters(context)
        let client = try await authenticate(request, form)
        guard let token = try form["token"] else { throw OAuthError(.invalidRequest, "token is missing") }
        if let hint = try form["token_type_hint"], !["refresh_token", "access_token"].contains(hint) {
            throw OAuthError(.invalidRequest, "token_type_hint is neither refresh_token nor access_token")
        }
        try await tokens.revoke(token, client: client, origin: .request(context))
        return Response(status: .ok, headers: [.cacheControl: "no-store"])
    }

    @Sendable private func keys(_ request: Request, context: AppContext) async throws -> Response {
        var response = try Response.json(
            JWKSet(keys: [
                JWK(
                    rsaModulus: signingKey.modulus.base64URLEncoded,
                    exponent: signingKey.publicExponent.base64URLEncoded,
                    keyID: signingKey.keyID)
            ]))
        response.headers[.cacheControl] = "public, max-age=3600"
        response.headers[.pragma] = nil
        return response
    }

    @Sendable private func refuseMethod(_ request: Request, context: AppContext) throws -> Response {
        throw OAuthError(.invalidRequest, "the method is \(request.method), not POST")
    }

    /// RFC 6749 §2.3: one way of authentication a request, so whoever sends two gets neither.
    private func authenticate(
        _ request: Request, _ form: Authorization.Parameters
    ) async throws -> ClientAuthenticator.Credentials {
        guard request.headers[.authorization] == nil else {
            throw OAuthError(.invalidRequest, "credentials belong in the form, not in the Authorization header")
        }
        guard try form["client_assertion"] == nil else {
            throw OAuthError(.invalidRequest, "the client secret goes into client_secret, not into client_assertion")
        }
        return try await authenticator.credentials(
            clientID: try form["client_id"], clientSecret: try form["client_secret"])
    }
}
