import Authorization
import HTTPTypes
import Hummingbird
import LanyardAPI

/// `/auth/…`: sign-in in the protocol of the service that we are compatible with. docs/specifications/sign-in.md, 1 to
/// 9.
struct CompatibleRoutes: Sendable {
    let requests: AuthorizationRequests
    let endpoint: TokenEndpoint
    let baseURL: String
    let issuer: String
    let ignoredScopes: Set<String>
    let document = PublicDocument()

    func mount(on router: some RouterMethods<AppContext>, _ standing: inout StandingAnswers) {
        router.get("auth/authorize", use: authorize)
        router.post("auth/authorize", use: AuthorizationRequests.asGet)
        router.post("auth/token", use: endpoint.token)
        router.post("auth/revoke", use: endpoint.revoke)
        endpoint.serveKeys("/auth/keys", on: router, &standing)
        standing.serve("/.well-known/openid-configuration", on: router, discovery)
    }

    @Sendable private func authorize(_ request: Request, context: AppContext) async throws -> Response {
        let (parameters, ignoredScopes) = (try request.queryParameters(), ignoredScopes)
        return try await requests.take(request, context, in: .compatible) {
            try AuthorizationRequest.compatible(parameters, ignoredScopes: ignoredScopes, in: $0)
        }
    }

    /// The discovery document of docs/specifications/sign-in.md, 8.4 and 8.5, with PKCE in addition.
    @Sendable private func discovery(_ asked: HTTPFields) throws -> StandingAnswer {
        try document.answer(to: asked) {
            DiscoveryDocument(
                metadata: ProviderMetadata(
                    issuer: issuer, authorizationEndpoint: "\(baseURL)/auth/authorize",
                    tokenEndpoint: "\(baseURL)/auth/token", jwksURI: "\(baseURL)/auth/keys",
                    revocationEndpoint: "\(baseURL)/auth/revoke", codeChallengeMethodsSupported: ["S256"]),
                capabilities: .init(
                    scopes: ["openid", "email", "name"],
                    claims: [
                        "aud", "email", "email_verified", "exp", "iat", "is_private_email", "iss", "nonce",
                        "nonce_supported", "org_id", "real_user_status", "sub", "transfer_sub",
                    ],
                    identityTokenSigningAlgorithms: ["RS256"], tokenEndpointAuthMethods: ["client_secret_post"]))
        }
    }
}
