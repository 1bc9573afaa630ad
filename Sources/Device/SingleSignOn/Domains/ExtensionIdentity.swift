/// The identity of an extension, and the domains that its app claims.
///
/// docs/specifications/extensible-single-sign-on.md, 7.
public struct ExtensionIdentity: Hashable, Sendable {
    public let teamIdentifier: String
    public let extensionIdentifier: String
    /// The bundle identifier of the app that contains the extension.
    public let hostAppIdentifier: String
    /// The domains that the app itself claims.
    public let associatedDomains: [AssociatedDomain]
    /// Whether profiles may add further domains.
    public let acceptsManagedDomains: Bool

    public init(
        teamIdentifier: String, extensionIdentifier: String, hostAppIdentifier: String,
        associatedDomains: [AssociatedDomain], acceptsManagedDomains: Bool
    ) {
        self.teamIdentifier = teamIdentifier
        self.extensionIdentifier = extensionIdentifier
        self.hostAppIdentifier = hostAppIdentifier
        self.associatedDomains = associatedDomains
        self.acceptsManagedDomains = acceptsManagedDomains
    }

    /// The ids by which a domain may name the extension: the app's own, as Apple documents it, or the extension's, as
    /// others do in practice.
    public var applicationIdentifiers: Set<String> {
        ["\(teamIdentifier).\(hostAppIdentifier)", "\(teamIdentifier).\(extensionIdentifier)"]
    }

    /// The claim that covers a host: the exact host before a wildcard, and the longest wildcard. Claims in profiles
    /// count if ``acceptsManagedDomains`` is true.
    public func claim(to host: String, managed: [ManagedDomains]) -> AssociatedDomain? {
        let given =
            acceptsManagedDomains
            ? managed.filter { applicationIdentifiers.contains($0.applicationIdentifier) }.flatMap(\.domains) : []
        let claims = (associatedDomains + given).filter { $0.claims(host) }
        return claims.first { !$0.isWildcard } ?? claims.max { $0.domain.utf8.count < $1.domain.utf8.count }
    }

    /// Why no claim covers a host, as a text for the administrator; nil if one does.
    public func problem(of host: String, managed: [ManagedDomains]) -> String? {
        guard claim(to: host, managed: managed) == nil else { return nil }
        let given = managed.flatMap { given in
            given.domains.filter { $0.claims(host) }.map { (app: given.applicationIdentifier, entry: $0) }
        }
        // A managed claim for this app exists but was not accepted above.
        if let own = given.first(where: { applicationIdentifiers.contains($0.app) }) {
            return "a profile gives \(own.entry) to \(own.app), which does not count: "
                + "the extension's manifest does not have \"acceptsManagedDomains\": true"
        }
        if let other = given.first {
            return "a profile gives \(other.entry) to \(other.app), and not to \(teamIdentifier).\(hostAppIdentifier)"
        }
        return "neither the extension's app nor a profile has an entry \(AssociatedDomain.authentication):\(host)"
    }
}

extension AssociatedDomain {
    /// The URL of the association file that has to name the app: at the host itself, or at the parent of a wildcard.
    public var associationFileURL: String { associationFileURL(port: nil) }

    /// - Parameter port: the port to ask, if it is not 443.
    package func associationFileURL(port: Int?) -> String {
        "https://\(domain)\(port.map { ":\($0)" } ?? "")\(AssociationFile.path)"
    }

    fileprivate func claims(_ host: String) -> Bool { service == Self.authentication && covers(host) }
}
