/// The machine itself, as a host.
package enum Loopback {
    /// - Parameter host: of an address; an IPv6 address with its brackets or without.
    package static func contains(host: String) -> Bool {
        // RFC 6761 §6.3: every name under `localhost` is loopback, with a dot at its end or without.
        let host = host.lowercased()
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return ["localhost", "127.0.0.1", "::1", "[::1]"].contains(name) || name.hasSuffix(".localhost")
    }
}
