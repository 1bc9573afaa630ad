import SingleSignOn

extension DomainRegistry.Claim {
    /// The claims of all redirect payloads in installed profiles: each pair of extension and host once.
    /// docs/specifications/extensible-single-sign-on.md, 9.1 and 9.2.
    ///
    /// - Parameter identity: the identity of a payload's extension; nil if the extension is not on this device.
    public static func all(
        in installed: InstalledProfiles, identity: (SingleSignOnPayload) -> ExtensionIdentity?
    ) -> [DomainRegistry.Claim] {
        let managed = installed.managedDomains
        var known: Set<DomainKey> = []
        return installed.payloads.flatMap { payload -> [DomainRegistry.Claim] in
            guard !payload.urls.isEmpty, let identity = identity(payload) else { return [] }
            return payload.urls.compactMap { url in
                let key = DomainKey(
                    team: identity.teamIdentifier, extension: identity.extensionIdentifier, host: url.host)
                guard known.insert(key).inserted else { return nil }
                let domain = identity.claim(to: url.host, managed: managed)
                return DomainRegistry.Claim(
                    identity: identity, host: url.host, domain: domain,
                    problem: domain == nil ? identity.problem(of: url.host, managed: managed) : nil)
            }
        }
    }
}
