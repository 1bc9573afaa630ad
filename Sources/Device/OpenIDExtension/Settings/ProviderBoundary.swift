import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A host of a provider, as a profile names it: `login.acme.test`, `.acme.test` for all below, with a port behind a colon
/// where it is not the usual one.
struct ProviderHost: Sendable, Hashable {
    /// In small letters, without the leading dot and without the brackets of IPv6.
    let name: String
    let isForAllBelow: Bool
    let port: Int?

    /// - Returns: nil of what is no host.
    init?(_ text: String) {
        var name = text.lowercased()[...]
        var port: Int?
        // An address of IPv6 has several colons, and brackets where a port is behind it.
        let isBare = !name.hasPrefix("[") && name.filter { $0 == ":" }.count > 1
        if let colon = name.lastIndex(of: ":"), !name.hasSuffix("]"), !isBare {
            port = Int(name[name.index(after: colon)...])
            guard let port, (1...65_535).contains(port) else { return nil }
            name = name[..<colon]
        }
        isForAllBelow = name.hasPrefix(".")
        if isForAllBelow { name = name.dropFirst() }
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        guard !name.isEmpty, !name.contains(where: { $0.isWhitespace || "/[]@?#".contains($0) }) else { return nil }
        self.name = String(name)
        self.port = port
    }

    func contains(_ url: URL) -> Bool {
        guard let origin = url.origin, origin.port == port ?? (origin.isSecure ? 443 : 80) else { return false }
        return isForAllBelow ? origin.hostName.hasSuffix(".\(name)") : origin.hostName == name
    }
}

/// Which addresses belong to the provider. Everything else is a relying party's: nothing is fetched from there, and no
/// password goes there.
struct ProviderBoundary: Sendable {
    private let starts: [URL]
    private let origins: Set<WebOrigin>
    private let hosts: [ProviderHost]

    /// - Parameters:
    ///   - starts: whose origins belong to the provider
    ///   - hosts: as ``Settings/identityProviderHosts``
    init(_ starts: [URL], hosts: [ProviderHost] = []) {
        self.starts = starts
        origins = Set(starts.compactMap(\.origin))
        self.hosts = hosts
    }

    func contains(_ url: URL) -> Bool {
        guard url.isSafe, let origin = url.origin else { return false }
        return origins.contains(origin) || hosts.contains { $0.contains(url) }
    }

    /// Whether a cookie of this domain goes to a host of the provider. Cookies know no ports.
    /// - Parameter domain: in small letters, without a leading dot.
    func receivesCookies(of domain: String) -> Bool {
        func isWithin(_ name: String) -> Bool { name == domain || name.hasSuffix(".\(domain)") }
        return starts.contains { ($0.origin?.hostName).map(isWithin) ?? false }
            || hosts.contains { isWithin($0.name) || $0.isForAllBelow && domain.hasSuffix(".\($0.name)") }
    }
}
