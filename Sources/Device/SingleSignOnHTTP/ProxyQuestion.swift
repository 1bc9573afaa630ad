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

/// Asks a proxy which authorization it requires, and reads the headers of its answer with status 407.
///
/// `HTTPClient` reaches every site through a tunnel, even with plain HTTP, and reports only that the proxy refused to
/// open it. So the proxy is asked again over a connection of our own. A *site* that answers 407 is never treated in
/// this way: it must not learn the proxy's secrets.
enum ProxyQuestion {
    /// - Parameter site: the site to which the tunnel would lead.
    /// - Returns: nil if the proxy opens the tunnel, or answers with another status than 407.
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
    /// - Returns: nil if the scheme is not `Basic` or `Bearer`: `HTTPClient` can send no other to a proxy.
    init?(proxyAuthorization value: String) {
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, !value.unicodeScalars.contains(where: \.isASCIIControl) else { return nil }
        switch parts[0].lowercased() {
        case "basic": self = .basic(credentials: String(parts[1]))
        case "bearer": self = .bearer(tokens: String(parts[1]))
        default: return nil
        }
    }
}

extension String {
    /// The host as it stands in URLs: IPv6 addresses in brackets.
    var inURL: String { contains(":") && !hasPrefix("[") ? "[\(self)]" : self }
}
