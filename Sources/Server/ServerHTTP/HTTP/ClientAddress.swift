import HTTPTypes
import Hummingbird
import NIOCore

/// Finds the client's address behind proxies: the last entry of `X-Forwarded-For`, which is the address that the proxy
/// itself has seen; if that is a trusted proxy too, the entry before it. From other clients the header is ignored.
struct ClientAddress: RouterMiddleware {
    let proxies: TrustedProxies

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.remoteAddress = proxies.client(of: request.headers, from: context.remoteAddress)
        return try await next(request, context)
    }
}

extension TrustedProxies {
    /// - Parameter address: of the connection; nil for a Unix socket.
    func client(of headers: HTTPFields, from address: String?) -> String? {
        guard var address, contains(address) else { return address }
        var entries = headers[values: .forwardedFor].flatMap { $0.split(separator: ",") }
        while contains(address), let entry = entries.popLast() {
            let text = entry.trimmingPrefix { $0 == " " }
            guard let before = (try? SocketAddress(ipAddress: String(text), port: 0))?.ipAddress else { break }
            address = before
        }
        return address
    }
}

extension HTTPField.Name {
    fileprivate static let forwardedFor = HTTPField.Name("X-Forwarded-For")!  // a valid token
}
