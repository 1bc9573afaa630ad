/// Who an extension is, and which domains it and the organization claim for it.
///
/// docs/specifications/extensible-single-sign-on.md, 7.
public struct ExtensionIdentity: Hashable, Sendable {
    public let teamIdentifier: String
    public let extensionIdentifier: String
    /// The app that brings it.
    public let hostAppIdentifier: String
    /// What the app claims by itself.
    public let associatedDomains: [AssociatedDomain]
    /// Whether profiles may add to that.
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

    /// The ids by which a domain may name it: the app's own, as Apple's talk has it, or the extension's, as in the field.
    public var applicationIdentifiers: Set<String> {
        ["\(teamIdentifier).\(hostAppIdentifier)", "\(teamIdentifier).\(extensionIdentifier)"]
    }

    /// The claim that covers a host: the host itself before a wildcard, and of wildcards the longest. What profiles give
    /// to the app is added to what it claims itself, if it lets them.
    public func claim(to host: String, managed: [ManagedDomains]) -> AssociatedDomain? {
        let given =
            acceptsManagedDomains
            ? managed.filter { applicationIdentifiers.contains($0.applicationIdentifier) }.flatMap(\.domains) : []
        let claims = (associatedDomains + given).filter { $0.claims(host) }
        return claims.first { !$0.isWildcard } ?? claims.max { $0.domain.utf8.count < $1.domain.utf8.count }
    }

    /// Why nothing claims a host, in words; nil if something does.
    public func problem(of host: String, managed: [ManagedDomains]) -> String? {
        guard claim(to: host, managed: managed) == nil else { return nil }
        let given = managed.flatMap { given in
            given.domains.filter { $0.claims(host) }.map { (app: given.applicationIdentifier, entry: $0) }
        }
        // A claim by one of these would be found above, if they were accepted.
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
    /// Where the file lies that has to agree: at the host itself, or at the parent of a wildcard.
    public var associationFileURL: String { associationFileURL(port: nil) }

    /// - Parameter port: where the domain is asked, if not at 443.
    package func associationFileURL(port: Int?) -> String {
        "https://\(domain)\(port.map { ":\($0)" } ?? "")\(AssociationFile.path)"
    }

    fileprivate func claims(_ host: String) -> Bool { service == Self.authentication && covers(host) }
}
