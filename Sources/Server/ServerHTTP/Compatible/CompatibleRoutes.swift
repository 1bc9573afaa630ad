import Authorization
import HTTPTypes
import Hummingbird

/// `/auth/…`: signing in as with the service that we are compatible with. sign-in.md sections 1 to 4.
struct CompatibleRoutes: Sendable {
    let requests: SignInRequests
    let endpoint: TokenEndpoint
    let baseURL: String
    let issuer: String
    let ignoredScopes: Set<String>
    let document = PublicDocument()

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("auth/authorize", use: authorize)
        router.post("auth/authorize", use: SignInRequests.asGet)
        router.post("auth/token", use: endpoint.token)
        router.post("auth/revoke", use: endpoint.revoke)
        router.get("auth/keys", use: endpoint.keys)
        router.get(".well-known/openid-configuration", use: discovery)
    }

    @Sendable private func authorize(_ request: Request, context: AppContext) async throws -> Response {
        let (parameters, ignoredScopes) = (try request.queryParameters(), ignoredScopes)
        return try await requests.take(request, context, in: .compatible) {
            try AuthorizationRequest.compatible(parameters, ignoredScopes: ignoredScopes, in: $0)
        }
    }

    /// sign-in.md 4.2, and PKCE, which we take.
    private struct Discovery: Encodable {
        let issuer: String
        let authorizationEndpoint: String
        let tokenEndpoint: String
        let revocationEndpoint: String
        let jwksURI: String
        let responseTypesSupported = ["code"]
        let responseModesSupported = ["query", "fragment", "form_post"]
        let subjectTypesSupported = ["pairwise"]
        let identityTokenSigningAlgorithms = ["RS256"]
        let scopesSupported = ["openid", "email", "name"]
        let tokenEndpointAuthMethods = ["client_secret_post"]
        let claimsSupported = [
            "aud", "email", "email_verified", "exp", "iat", "is_private_email", "iss", "nonce", "nonce_supported",
            "org_id", "real_user_status", "sub", "transfer_sub",
        ]
        let codeChallengeMethodsSupported = ["S256"]

        enum CodingKeys: String, CodingKey {
            case issuer
            case authorizationEndpoint = "authorization_endpoint"
            case tokenEndpoint = "token_endpoint"
            case revocationEndpoint = "revocation_endpoint"
            case jwksURI = "jwks_uri"
            case responseTypesSupported = "response_types_supported"
            case responseModesSupported = "response_modes_supported"
            case subjectTypesSupported = "subject_types_supported"
            case identityTokenSigningAlgorithms = "id_token_signing_alg_values_supported"
            case scopesSupported = "scopes_supported"
            case tokenEndpointAuthMethods = "token_endpoint_auth_methods_supported"
            case claimsSupported = "claims_supported"
            case codeChallengeMethodsSupported = "code_challenge_methods_supported"
        }
    }

    @Sendable private func discovery(_ request: Request, context: AppContext) async throws -> Response {
        try document.response(to: request) {
            Discovery(
                issuer: issuer, authorizationEndpoint: "\(baseURL)/auth/authorize",
                tokenEndpoint: "\(baseURL)/auth/token", revocationEndpoint: "\(baseURL)/auth/revoke",
                jwksURI: "\(baseURL)/auth/keys")
        }
    }
}
