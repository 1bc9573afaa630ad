import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A host in a profile's `identityProviderHosts`: `login.acme.test`, or `.acme.test` for all hosts below it. A port
/// that is not the scheme's default follows after a colon.
struct ProviderHost: Sendable, Hashable {
    /// Canonical, as ``WebOrigin/hostName``: in lower case, without leading or trailing dot or the brackets of IPv6.
    let name: String
    let isForAllBelow: Bool
    let port: Int?

    /// - Returns: nil if `text` is not a host.
    init?(_ text: String) {
        var name = text.lowercased()[...]
        var port: Int?
        // An IPv6 address contains colons itself. With a port it is in brackets.
        let isBare = !name.hasPrefix("[") && name.filter { $0 == ":" }.count > 1
        if let colon = name.lastIndex(of: ":"), !name.hasSuffix("]"), !isBare {
            port = Int(name[name.index(after: colon)...])
            guard let port, (1...65_535).contains(port) else { return nil }
            name = name[..<colon]
        }
        isForAllBelow = name.hasPrefix(".")
        if isForAllBelow { name = name.dropFirst() }
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        guard !name.contains(where: { $0.isWhitespace || "/[]@?#".contains($0) }),
            let canonical = try? WebOrigin.canonicalHost(String(name))
        else { return nil }
        self.name = canonical
        self.port = port
    }

    func contains(_ url: URL) -> Bool {
        guard let origin = url.origin, origin.port == port ?? (origin.isSecure ? 443 : 80) else { return false }
        return isForAllBelow ? origin.hostName.hasSuffix(".\(name)") : origin.hostName == name
    }
}

/// Decides which URLs belong to the provider. All others are treated as a relying party's: the extension fetches
/// nothing from them, and sends no password to them.
struct ProviderBoundary: Sendable {
    private let starts: [URL]
    private let origins: Set<WebOrigin>
    private let hosts: [ProviderHost]

    /// - Parameters:
    ///   - starts: URLs whose origins belong to the provider.
    ///   - hosts: ``Settings/identityProviderHosts``.
    init(_ starts: [URL], hosts: [ProviderHost] = []) {
        self.starts = starts
        origins = Set(starts.compactMap(\.origin))
        self.hosts = hosts
    }

    func contains(_ url: URL) -> Bool {
        guard url.isSafe, let origin = url.origin else { return false }
        return origins.contains(origin) || hosts.contains { $0.contains(url) }
    }

    /// Whether a cookie with this domain is sent to a host of the provider. Cookies ignore ports. RFC 6265 §8.5.
    /// - Parameter domain: in lower case, without a leading dot.
    func receivesCookies(of domain: String) -> Bool {
        func isWithin(_ name: String) -> Bool { name == domain || name.hasSuffix(".\(domain)") }
        return starts.contains { ($0.origin?.hostName).map(isWithin) ?? false }
            || hosts.contains { isWithin($0.name) || $0.isForAllBelow && domain.hasSuffix(".\($0.name)") }
    }
}
