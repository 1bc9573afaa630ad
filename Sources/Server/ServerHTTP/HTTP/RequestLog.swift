import Ground
import HTTPTypes
import Hummingbird
import Logging

/// One line a request: what was asked, what was answered, how long it took. No query, no body, no names: paths
/// that carry a secret are cut.
struct RequestLog: RouterMiddleware {
    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        let stopwatch = Stopwatch()
        var response = try await next(request, context)
        response.headers[.requestID] = context.id
        context.logger.log(
            level: response.status.code >= 500 ? .error : .info, "request",
            metadata: [
                "method": "\(request.method)",
                "path": "\(Self.loggable(request.routedPath))",
                "status": "\(response.status.code)",
                "microseconds": "\(Int(stopwatch.elapsed / .microseconds(1)))",
                "address": "\(context.remoteAddress ?? "-")",
            ])
        return response
    }

    /// What follows these opens a page.
    private static let secrets = ["/connect/", "/continue/", "/invitation/", "/verify-email/", "/forgot-password/"]

    private static func loggable(_ path: String) -> String {
        for secret in secrets where path.hasPrefix(secret) { return secret + "…" }
        return String(path.prefix(256))
    }
}

extension Request {
    /// The path as the router takes it: `//invitation/x` leads where `/invitation/x` does, had ``ExactPath`` nothing
    /// against it.
    var routedPath: String { "/" + uri.path.split(separator: "/").joined(separator: "/") }
}
