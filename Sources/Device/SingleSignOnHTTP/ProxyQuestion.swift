import AsyncHTTPClient
import Ground
import NIOCore
import NIOHTTP1
import NIOPosix
import SingleSignOnClient
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a proxy asks of somebody whom it does not know: the headers of its 407.
///
/// `HTTPClient` reaches every site through a tunnel, plain HTTP too, and of a proxy that opens none it says no more than that. So
/// the proxy is asked once more by hand. What a *site* answers with 407 never gets here: the proxy's secrets are none of its
/// business.
enum ProxyQuestion {
    /// - Parameter site: that the tunnel would lead to.
    /// - Returns: nil if the proxy opens the tunnel, or says something else.
    static func ask(
        _ proxy: HTTPClient.Configuration.Proxy, for site: WebOrigin, within time: TimeAmount
    ) async throws -> [HeaderField]? {
        let authority = "\(site.host):\(site.port)"
        return try await withTimeLimit(time) {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(time)
                .connect(host: proxy.host, port: proxy.port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHTTPClientHandlers()
                        return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                            wrappingChannelSynchronously: channel)
                    }
                }
            return try await channel.executeThenClose { parts, writer in
                var headers = proxy.connectHeaders
                headers.replaceOrAdd(name: "host", value: authority)
                try await writer.write(
                    .head(HTTPRequestHead(version: .http1_1, method: .CONNECT, uri: authority, headers: headers)))
                try await writer.write(.end(nil))
                for try await case .head(let head) in parts {
                    guard head.status == .proxyAuthenticationRequired else { return nil }
                    return head.headers.map { HeaderField($0.name, $0.value) }
                }
                return nil
            }
        }
    }
}

extension HTTPClient.Authorization {
    /// - Returns: nil if the HTTP client cannot say it to a proxy: it knows `Basic` and `Bearer`.
    init?(proxyAuthorization value: String) {
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, !value.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            return nil
        }
        switch parts[0].lowercased() {
        case "basic": self = .basic(credentials: String(parts[1]))
        case "bearer": self = .bearer(tokens: String(parts[1]))
        default: return nil
        }
    }
}

extension String {
    /// A host as URLs have it: an address of IPv6 in brackets.
    var inURL: String { contains(":") && !hasPrefix("[") ? "[\(self)]" : self }
}
