/// A server of a realm, and how it is reached: a key distribution center, a server for changing passwords, or a proxy for
/// both. docs/specifications/extensible-single-sign-on.md, 23.3.
///
/// Whatever made it, its parts are safe to be written into a configuration file of MIT Kerberos.
package struct KerberosServer: Hashable, Sendable, CustomStringConvertible {
    package enum Transport: String, Sendable {
        /// UDP or TCP, as Kerberos itself prefers.
        case any = ""
        case udp, tcp
        /// Kerberos over HTTPS ([MS-KKDCP]).
        case proxy = "kkdcp"
    }

    package let transport: Transport
    /// In ASCII and lower case; an IPv6 address without brackets.
    package let host: String
    /// nil for the standard port: 88, for changing passwords 464, and 443 for a proxy.
    package let port: UInt16?
    /// The path of a proxy, with its slash; empty for none.
    package let path: String

    package enum Problem: Error, Equatable {
        case unknownProtocol(String), noHost, malformedHost, malformedPort, pathWithoutProxy, malformedPath
    }

    /// - Parameter host: a name of letters, digits, `-`, `_` and dots, or an address, IPv6 with or without brackets.
    package init(_ transport: Transport = .any, host: String, port: UInt16? = nil, path: String = "") throws(Problem) {
        guard let host = Self.canonicalHost(host) else { throw host.isEmpty ? .noHost : .malformedHost }
        if port == 0 { throw .malformedPort }
        if !path.isEmpty {
            if transport != .proxy { throw .pathWithoutProxy }
            guard path.hasPrefix("/"), path.utf8.allSatisfy(Self.mayStandInPath) else { throw .malformedPath }
        }
        (self.transport, self.host, self.port, self.path) = (transport, host, port, path)
    }

    /// Reads an entry of `preferredKDCs`: `[protocol/]host[:port][/path]`, or `kkdcp://host[:port][/path]`.
    package init(_ text: String) throws(Problem) {
        var rest = text[...]
        var transport = Transport.any
        if let scheme = text.firstRange(of: "://") {
            guard text[..<scheme.lowerBound].lowercased() == Transport.proxy.rawValue else {
                throw .unknownProtocol(String(text[..<scheme.lowerBound]))
            }
            transport = .proxy
            rest = text[scheme.upperBound...]
        } else if let slash = text.firstIndex(of: "/") {
            let word = text[..<slash].lowercased()
            if let known = Transport(rawValue: word), known != .any {
                transport = known
                rest = text[text.index(after: slash)...]
            } else if !word.contains("."), !word.contains(":"), !word.isEmpty {
                throw .unknownProtocol(String(text[..<slash]))
            }
        }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let (host, port) = try Self.split(rest[..<slash])
        try self.init(transport, host: host, port: port, path: String(rest[slash...]))
    }

    private static func split(_ authority: Substring) throws(Problem) -> (host: String, port: UInt16?) {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { throw .malformedHost }
            let after = authority[authority.index(after: end)...]
            let host = String(authority[...end])
            if after.isEmpty { return (host, nil) }
            guard after.hasPrefix(":") else { throw .malformedHost }
            return (host, try number(after.dropFirst()))
        }
        guard let colon = authority.firstIndex(of: ":") else { return (String(authority), nil) }
        return (String(authority[..<colon]), try number(authority[authority.index(after: colon)...]))
    }

    private static func number(_ digits: Substring) throws(Problem) -> UInt16 {
        guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt16(digits), number > 0
        else { throw .malformedPort }
        return number
    }

    /// The host in lower case without a root dot; nil if it is none.
    private static func canonicalHost(_ text: String) -> String? {
        var host = text
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.utf8.count > 2
        if isBracketed { host = String(host.dropFirst().dropLast()) }
        if isBracketed || host.contains(":") {
            let isAddress =
                host.contains(":") && host.utf8.allSatisfy { "0123456789abcdefABCDEF:.".utf8.contains($0) }
            return isAddress && host.utf8.count <= 45 ? host.lowercased() : nil
        }
        return DomainName.canonical(host)
    }

    private static func mayStandInPath(_ byte: UInt8) -> Bool {
        DomainName.isLetterOrDigit(byte) || "/-._~%+=,:@!$&()".utf8.contains(byte)
    }

    /// The host as URLs and MIT Kerberos have it: an IPv6 address in brackets.
    package var hostText: String { host.contains(":") ? "[\(host)]" : host }

    private var authority: String { hostText + (port.map { ":\($0)" } ?? "") }

    /// In the notation of `preferredKDCs`.
    package var description: String {
        switch transport {
        case .any: authority
        case .udp, .tcp: "\(transport.rawValue)/\(authority)"
        case .proxy: "kkdcp://\(authority)\(path)"
        }
    }

    /// As MIT Kerberos writes it behind `kdc =`: without UDP and TCP, which it has no word for, and with `https` for a
    /// proxy.
    var configurationText: String { transport == .proxy ? "https://\(authority)\(path)" : authority }

    /// The same host, to change passwords at: by the same proxy, or at the standard port.
    var forPasswords: KerberosServer {
        transport == .proxy ? self : KerberosServer(copying: self, port: nil)
    }

    private init(copying server: KerberosServer, port: UInt16?) {
        (transport, host, path, self.port) = (server.transport, server.host, server.path, port)
    }
}
