import Authorization
import HTTPTypes
import Hummingbird
import NIOCore

/// Finds out who asks when a proxy on this machine stands between: the last entry of `X-Forwarded-For`, which is what
/// the proxy itself has seen. From anybody else the header means nothing.
struct ClientAddress: RouterMiddleware {
    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let peer = context.remoteAddress, Loopback.contains(host: peer),
            let last = request.headers[values: .forwardedFor].last?.split(separator: ",").last
        {
            let address = last.trimmingPrefix(while: { $0 == " " })
            context.remoteAddress = (try? SocketAddress(ipAddress: String(address), port: 0))?.ipAddress ?? peer
        }
        return try await next(request, context)
    }
}

extension HTTPField.Name {
    fileprivate static let forwardedFor = HTTPField.Name("X-Forwarded-For")!  // a valid token
}
