import Ground
import HTTPTypes
import Hummingbird
import Logging

/// Logs one line for each request: method, path, status, time and address. Queries, bodies and names are not logged,
/// and secrets in paths are cut off.
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

    /// The text after these prefixes is a secret that opens a page.
    private static let secrets = ["/connect/", "/continue/", "/invitation/", "/verify-email/", "/forgot-password/"]

    private static func loggable(_ path: String) -> String {
        for secret in secrets where path.hasPrefix(secret) { return secret + "…" }
        guard path.hasPrefix("/api/") else { return String(path.prefix(256)) }
        // The API takes people by their user names and the ids of their school too. Numbers tell whoever has the
        // database alone.
        var segments = path.split(separator: "/", omittingEmptySubsequences: false)
        for index in segments.indices.dropFirst()
        where ["people", "members"].contains(segments[index - 1]) && !segments[index].hasPrefix("PE-") {
            segments[index] = "…"
        }
        return String(segments.joined(separator: "/").prefix(256))
    }
}

extension Request {
    /// The path as the router understands it, for which `//invitation/x` and `/invitation/x` are the same.
    var routedPath: String { "/" + uri.path.split(separator: "/").joined(separator: "/") }
}
