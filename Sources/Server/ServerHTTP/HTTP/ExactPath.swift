import Hummingbird

/// Each path is written in one way. The router would take `//account` and `/account/` for `/account`; but a proxy in front
/// that lets only some paths through has compared what stands there. Such paths are not found.
struct ExactPath: RouterMiddleware {
    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        guard request.uri.path == request.routedPath else { throw HTTPError(.notFound) }
        return try await next(request, context)
    }
}
