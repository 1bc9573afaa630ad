import HTTPTypes
import Hummingbird

/// No scripts, no frames, nothing from elsewhere, and no page with names in any cache.
struct SecurityHeaders: RouterMiddleware {
    func handle(
        _ request: Request,
        context: QuizzlerContext,
        next: (Request, QuizzlerContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        // The page that ends a sign-in on plain http brings a policy of its own, for its one script.
        if response.headers[.contentSecurityPolicy] == nil {
            response.headers[.contentSecurityPolicy] =
                "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
                + "base-uri 'none'; frame-ancestors 'none'"
        }
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.referrerPolicy] = "same-origin"
        if response.headers[.cacheControl] == nil {
            response.headers[.cacheControl] = "no-store"
        }
        return response
    }
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = Self("Referrer-Policy")!  // a valid token
}
