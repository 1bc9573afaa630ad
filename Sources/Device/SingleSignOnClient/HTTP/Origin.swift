import Foundation
import Ground

/// Scheme, host and port: what decides whether two URLs belong together. RFC 6454.
struct Origin: Hashable, Sendable, CustomStringConvertible {
    let scheme: String
    let host: String
    let port: Int

    /// - Returns: nil if the URL is none of the web.
    init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), scheme == "https" || scheme == "http",
            let host = url.host(percentEncoded: true)?.lowercased(), !host.isEmpty
        else { return nil }
        self.scheme = scheme
        self.host = host.hasSuffix(".") ? String(host.dropLast()) : host
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }

    init?(_ url: String) {
        guard let url = URL(string: url) else { return nil }
        self.init(url)
    }

    var isSecure: Bool { scheme == "https" }

    /// What does not leave this device needs no TLS.
    var isLoopback: Bool { Loopback.contains(host: host) }

    var description: String {
        let isOwn = port == (isSecure ? 443 : 80)
        return "\(scheme)://\(host.inURL)" + (isOwn ? "" : ":\(port)")
    }
}
