import Authorization
import HTTPTypes
import Hummingbird
import Storage

/// Lets pages of other origins read the answers of the standard token, revocation and userinfo endpoints: a browser app
/// without a server redeems its codes itself.
///
/// It applies to pages of an origin at which an app with a public client has a return URL. They get nothing that their
/// code could not get elsewhere: cookies have no effect at these endpoints, and are not allowed. The client cannot be
/// checked, because the browser asks for permission before it sends the client id.
struct CrossOriginReading: RouterMiddleware {
    let database: any Database

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        guard let origin = request.headers[.origin], Surface.readAcrossOrigins.contains(request.routedPath),
            // If the database is unavailable, the headers are left out, and the endpoint itself answers with the error.
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
