#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Scheme, host and port of a URL of the web: what decides whether two belong together. RFC 6454 §4.
package struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    /// `http` or `https`
    package let scheme: String
    /// In small letters, a host of another script as its A-label, without a root dot; an IPv6 address in brackets.
    package let host: String
    /// 1 to 65535; the scheme's own if the URL names none.
    package let port: Int

    /// - Returns: nil if it is no URL with http or https, or one that programs read differently: with a backslash, an escape in
    ///   the host, or a character that hosts do not have.
    package init?(of url: String) {
        guard let url = try? WebURL(url) else { return nil }
        self = url.origin
    }

    package init?(of url: URL) { self.init(of: url.absoluteString) }

    /// The parts as they stand in a URL; the port without its colon, and empty if there is none.
    init(scheme: String, host: String, port: String) throws(WebURL.Problem) {
        self.scheme = scheme.lowercased()
        self.host = try Self.canonicalHost(host)
        guard Self.mayStandInURL(self.host) else { throw .malformed }
        self.port = try Self.number(port) ?? (self.scheme == "https" ? 443 : 80)
    }

    package var isSecure: Bool { scheme == "https" }

    /// What goes there does not leave this machine.
    package var isLoopback: Bool { Loopback.contains(host: host) }

    /// Whether secrets may go there: over TLS, or over no wire.
    package var isSafeForSecrets: Bool { isSecure || isLoopback }

    /// The host as it stands outside of URLs: an IPv6 address without its brackets.
    package var hostName: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }

    /// As browsers write it, such as `https://id.acme.test`: the port only if it is not the scheme's own. RFC 6454 §6.2.
    package var description: String {
        port == (isSecure ? 443 : 80) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }

    /// In small letters, without a root dot, in ASCII. An IPv6 address keeps its brackets.
    package static func canonicalHost(_ text: String) throws(WebURL.Problem) -> String {
        var host = text
        if !host.utf8.allSatisfy({ $0 < 0x80 }) {
            guard let ascii = URLComponents(string: "https://\(host)/")?.encodedHost,
                ascii.utf8.allSatisfy({ $0 < 0x80 })
            else { throw .malformed }
            host = ascii
        }
        if host.hasSuffix(".") { host.removeLast() }
        // Browsers send no percent-escapes in a host.
        guard !host.isEmpty, !host.hasPrefix("."), !host.utf8.contains(UInt8(ascii: "%")) else { throw .noHost }
        return host.lowercased()
    }

    /// Whether a canonical host has nothing that ends it, for one program or another: RFC 3986 §3.2.2.
    private static func mayStandInURL(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            return host.hasSuffix("]") && host.utf8.contains(UInt8(ascii: ":"))
                && host.dropFirst().dropLast().utf8.allSatisfy { "0123456789abcdef:.".utf8.contains($0) }
        }
        return host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "-._~!$&'()*+,;=".utf8.contains(byte)
            }
        }
    }

    /// - Returns: nil if there is no port; `host:` counts as none.
    private static func number(_ digits: String) throws(WebURL.Problem) -> Int? {
        if digits.isEmpty { return nil }
        guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = Int(digits), (1...65_535).contains(port)
        else { throw .malformed }
        return port
    }
}
