import Authorization
import HTTPTypes
import Hummingbird
import Storage

/// Lets pages read what the standard token, revocation and userinfo endpoints answer to them: a browser app without a
/// server redeems its codes itself.
///
/// Only pages of an origin at which an app with a public client has a return URL. They get nothing that their code could
/// not get elsewhere: cookies count for nothing at these endpoints, and are not allowed along. Which client asks makes no
/// difference, since a browser asks before it says.
struct CrossOriginReading: RouterMiddleware {
    let database: any Database

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        guard Surface.readAcrossOrigins.contains(request.routedPath), let origin = request.headers[.origin],
            // Without the database nobody reads anything; the endpoint itself says so.
            (try? await database.read { try App.isBrowserApp(at: origin, in: $0) }) == true
        else { return try await next(request, context) }
        var response: Response
        if request.method == .options {
            response = Response(status: .noContent)
            response.headers[.accessControlAllowMethods] = "GET, POST"
            response.headers[.accessControlAllowHeaders] = "Authorization, Content-Type, Idempotency-Key"
            response.headers[.accessControlMaxAge] = "7200"
        } else {
            response = try await next(request, context)
        }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.vary] = "Origin"
        return response
    }
}
