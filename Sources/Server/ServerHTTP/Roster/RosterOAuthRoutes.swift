import Authorization
import Hummingbird

/// `/auth/oauth2/v2/…`: how an app gets access to a roster. `authorize` leads the person to the consent page; the
/// others are called by the app's server.
struct RosterOAuthRoutes: Sendable {
    let requests: AuthorizationRequests
    let endpoint: TokenEndpoint
    let ignoredScopes: Set<String>

    func mount(on router: some RouterMethods<AppContext>, _ standing: inout StandingAnswers) {
        router.get("auth/oauth2/v2/authorize", use: authorize)
        router.post("auth/oauth2/v2/token", use: endpoint.token)
        router.post("auth/oauth2/v2/revoke", use: endpoint.revoke)
        endpoint.serveKeys("/auth/oauth2/v2/keys", on: router, &standing)
    }

    @Sendable private func authorize(_ request: Request, context: AppContext) async throws -> Response {
        let (parameters, ignoredScopes) = (try request.queryParameters(), ignoredScopes)
        return try await requests.take(request, context, in: .roster) {
            try AuthorizationRequest.validate(parameters, ignoredScopes: ignoredScopes, in: $0)
        }
    }
}
