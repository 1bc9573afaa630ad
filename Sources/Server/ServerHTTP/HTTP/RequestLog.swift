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
        Self.write(
            method: request.method, path: request.routedPath, status: response.status, stopwatch,
            address: context.remoteAddress, to: context.logger)
        return response
    }

    /// The key of the request id in the metadata of all lines about a request. Hummingbird's requests have it already.
    static let idKey = "hb.request.id"

    static func write(
        method: HTTPRequest.Method, path: @autoclosure () -> String, status: HTTPResponse.Status,
        _ stopwatch: Stopwatch,
        address: String?, to logger: Logger
    ) {
        logger.log(
            level: status.code >= 500 ? .error : .info, "request",
            metadata: [
                "method": "\(method)",
                "path": "\(Self.loggable(path()))",
                "status": "\(status.code)",
                "microseconds": "\(Int(stopwatch.elapsed / .microseconds(1)))",
                "address": "\(address ?? "-")",
            ])
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
    var routedPath: String {
        let path = uri.path
        return Self.isSpelledAsRouted(path) ? path : "/" + path.split(separator: "/").joined(separator: "/")
    }

    /// Whether the path is spelled as the router understands it, with no slash too many, as nearly every path is.
    var isSpelledAsRouted: Bool { Self.isSpelledAsRouted(uri.path) }

    private static func isSpelledAsRouted(_ path: String) -> Bool {
        guard path != "/" else { return true }
        var isAfterSlash = false
        for (index, byte) in path.utf8.enumerated() {
            let isSlash = byte == UInt8(ascii: "/")
            if isSlash ? isAfterSlash : index == 0 { return false }
            isAfterSlash = isSlash
        }
        return !isAfterSlash && !path.isEmpty
    }
}
