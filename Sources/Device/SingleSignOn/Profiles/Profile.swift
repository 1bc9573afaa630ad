import Ground

/// A configuration profile, as far as single sign-on is concerned: an outer dictionary with payloads.
///
/// extensible-sso.md sections 1.2 and 3.3.
public struct Profile: Equatable, Sendable {
    /// `PayloadIdentifier`: a profile replaces the installed one with the same.
    public let identifier: String
    /// `PayloadUUID`, and those of all payloads.
    public let uuids: [String]
    public let displayName: String?
    public let organization: String?
    public let payloads: [SingleSignOnPayload]
    public let managedDomains: [ManagedDomains]
}

/// An entry of a payload `com.apple.associated-domains`: domains that the organization gives to an app.
public struct ManagedDomains: Equatable, Sendable {
    public static let payloadType = "com.apple.associated-domains"

    /// Team id, dot, bundle id.
    public let applicationIdentifier: String
    public let domains: [AssociatedDomain]
    public let enableDirectDownloads: Bool
}

/// Such as `authsrv:id.acme.test?mode=managed`: a domain that an app claims for a service.
public struct AssociatedDomain: Hashable, Sendable, CustomStringConvertible {
    /// The service for single sign-on.
    public static let authentication = "authsrv"

    public enum Mode: String, CaseIterable, Sendable {
        case developer, managed
        case developerAndManaged = "developer+managed"
    }

    public let service: String
    /// Lower case, in ASCII; without the `*.` of a wildcard.
    public let domain: String
    /// Whether it stands for all names below the domain.
    public let isWildcard: Bool
    public let mode: Mode?

    public enum Problem: Error, Equatable {
        case noService, malformedDomain, hasPort, hasPath, hasScheme, unknownMode(String)
    }

    public init(_ text: String) throws(Problem) {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { throw .noService }
        service = String(text[..<colon])
        var rest = text[text.index(after: colon)...]
        if rest.hasPrefix("//") { throw .hasScheme }
        if let question = rest.firstIndex(of: "?") {
            let query = rest[rest.index(after: question)...]
            guard query.hasPrefix("mode="), let known = Mode(rawValue: String(query.dropFirst(5))) else {
                throw .unknownMode(String(query))
            }
            mode = known
            rest = rest[..<question]
        } else {
            mode = nil
        }
        isWildcard = rest.hasPrefix("*.")
        if isWildcard { rest = rest.dropFirst(2) }
        if rest.contains("/") { throw .hasPath }
        if rest.contains(":") { throw .hasPort }
        guard !rest.contains("*"), !rest.hasPrefix("."), !rest.contains(".."), rest.contains("."),
            !rest.utf8.contains(where: { $0 <= 0x20 || "@#?\\%".utf8.contains($0) }),
            let canonical = try? WebOrigin.canonicalHost(String(rest))
        else { throw .malformedDomain }
        domain = canonical
    }

    /// Whether the entry speaks for a host; `covers(exactly)` before a wildcard of its parent.
    public func covers(_ host: String) -> Bool {
        isWildcard ? host.hasSuffix(".\(domain)") : host == domain
    }

    public var description: String {
        "\(service):\(isWildcard ? "*." : "")\(domain)" + (mode.map { "?mode=\($0.rawValue)" } ?? "")
    }
}
