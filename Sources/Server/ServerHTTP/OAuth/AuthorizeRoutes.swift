import Authorization
import Hummingbird

/// `GET /auth/oauth2/v2/authorize`: leads the person to the consent page.
struct AuthorizeRoutes: Sendable {
    let requests: SignInRequests
    let ignoredScopes: Set<String>

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("auth/oauth2/v2/authorize", use: authorize)
    }

    @Sendable private func authorize(_ request: Request, context: AppContext) async throws -> Response {
        let (parameters, ignoredScopes) = (try request.queryParameters(), ignoredScopes)
        return try await requests.take(request, context, in: .roster) {
            try AuthorizationRequest.validate(parameters, ignoredScopes: ignoredScopes, in: $0)
        }
    }
}
