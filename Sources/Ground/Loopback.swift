/// The machine itself, as a host: what goes there leaves the machine over no wire, and needs no TLS.
package enum Loopback {
    /// - Parameter host: of an address, in letters of either case; an IPv6 address with its brackets or without.
    package static func contains(host: String) -> Bool {
        // A letter beyond ASCII may be the same as two others to a reader, and is none in a host.
        guard host.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        let host = host.lowercased()
        return isName(host) || host == "::1" || host == "[::1]" || isIPv4(host)
    }

    /// Every name under `localhost`, with a dot at its end or without. RFC 6761 §6.3.
    private static func isName(_ host: String) -> Bool {
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return name == "localhost" || name.hasSuffix(".localhost")
    }

    /// 127.0.0.0/8, RFC 1122 §3.2.1.3, in its usual spelling. Others, such as `127.1` and `0177.0.0.1`, are read
    /// differently by different programs.
    private static func isIPv4(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in UInt8(part).map { String($0) == part } ?? false }
    }
}
