/// Hosts that are this machine itself. Traffic to them does not leave the machine, so it needs no TLS.
package enum Loopback {
    /// - Parameter host: the host of a URL, in upper or lower case; an IPv6 address with or without brackets.
    package static func contains(host: String) -> Bool {
        // Lowercasing turns some characters beyond ASCII into ASCII letters, such as the Kelvin sign into `k`.
        guard host.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        let host = host.lowercased()
        return isName(host) || host == "::1" || host == "[::1]" || isIPv4(host)
    }

    /// `localhost` and all names under it, with or without a final dot. RFC 6761 §6.3.
    private static func isName(_ host: String) -> Bool {
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return name == "localhost" || name.hasSuffix(".localhost")
    }

    /// 127.0.0.0/8 (RFC 1122 §3.2.1.3) in dotted decimal. Other notations, such as `127.1` and `0177.0.0.1`, are
    /// refused, because programs read them differently.
    private static func isIPv4(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in UInt8(part).map { String($0) == part } ?? false }
    }
}
