import HTTPTypes
import Hummingbird

/// Headers that forbid scripts, frames and content from other sites, and caching of pages with names.
struct SecurityHeaders: RouterMiddleware {
    func handle(
        _ request: Request,
        context: QuizzlerContext,
        next: (Request, QuizzlerContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        // The page that completes a sign-in over plain HTTP has its own policy, because it needs a script.
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
