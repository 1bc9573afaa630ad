#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The origin of an HTTP URL: scheme, host and port. RFC 6454 §4.
package struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    /// `http` or `https`
    package let scheme: String
    /// In lower case, internationalized names as A-labels (RFC 5890), without a final dot; an IPv6 address in brackets.
    package let host: String
    /// 1 to 65535; the scheme's default if the URL has none.
    package let port: Int

    /// - Returns: nil if it is not a URL with http or https, or one that programs read differently: with a backslash, a
    ///   percent-escape in the host, or a character that is not allowed in hosts.
    package init?(of url: String) {
        guard let url = try? WebURL(url) else { return nil }
        self = url.origin
    }

    package init?(of url: URL) { self.init(of: url.absoluteString) }

    /// Takes the parts as written in a URL; the port without its colon, empty if there is none.
    init(scheme: String, host: String, port: String) throws(WebURL.Problem) {
        self.scheme = scheme.lowercased()
        self.host = try Self.canonicalHost(host)
        guard Self.mayStandInURL(self.host) else { throw .malformed }
        self.port = try Self.number(port) ?? (self.scheme == "https" ? 443 : 80)
    }

    package var isSecure: Bool { scheme == "https" }

    /// Whether requests to it do not leave this machine.
    package var isLoopback: Bool { Loopback.contains(host: host) }

    /// Whether secrets may be sent there: over TLS, or within this machine.
    package var isSafeForSecrets: Bool { isSecure || isLoopback }

    /// The host as used outside of URLs: an IPv6 address without its brackets.
    package var hostName: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }

    /// Serialized as by browsers, such as `https://id.acme.test`, with the port only if it is not the scheme's default.
    /// RFC 6454 §6.2.
    package var description: String {
        port == (isSecure ? 443 : 80) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }

    /// The host in ASCII and lower case, without a final dot. An IPv6 address keeps its brackets.
    ///
    /// An internationalized name becomes its A-label (RFC 5890) in programs that link all of Foundation, which has the
    /// tables for it. With FoundationEssentials alone it is refused, so that people have to write the A-label.
    package static func canonicalHost(_ text: String) throws(WebURL.Problem) -> String {
        var host = text
        if !host.utf8.allSatisfy({ $0 < 0x80 }) {
            guard let ascii = URLComponents(string: "https://\(host)/")?.encodedHost,
                ascii.utf8.allSatisfy({ $0 < 0x80 })
            else { throw .malformed }
            host = ascii
        }
        if host.hasSuffix(".") { host.removeLast() }
        // Refused because browsers never send percent-escapes in a host.
        guard !host.isEmpty, !host.hasPrefix("."), !host.utf8.contains(UInt8(ascii: "%")) else { throw .noHost }
        return host.lowercased()
    }

    /// Whether a canonical host has only characters that RFC 3986 §3.2.2 allows. Some programs would end the host at
    /// another one.
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
