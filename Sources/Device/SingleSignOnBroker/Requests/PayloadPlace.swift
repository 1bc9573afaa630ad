import SingleSignOn

/// What a payload covers, and by which extension: it tells whether other payloads have taken its place.
struct PayloadPlace: Codable, Equatable, Sendable {
    let uuid: String
    let extensionIdentifier: String
    let teamIdentifier: String?
    let realm: String?
    /// Prefixes of URLs, or patterns of hosts, in their canonical form. Files of older versions have none.
    let patterns: [String]?

    /// Whether these cover everything that it covers.
    func isCovered(by others: [PayloadPlace]) -> Bool {
        let own = others.filter(hasSameExtension)
        return (patterns ?? []).allSatisfy(Set(own.flatMap { $0.patterns ?? [] }).contains)
            && (realm == nil || own.contains { $0.realm == realm })
    }

    /// Whether the other one covers some of it: the realm, or without one a URL or a host.
    func overlaps(_ other: PayloadPlace) -> Bool {
        guard hasSameExtension(as: other) else { return false }
        if let realm { return other.realm == realm }
        return !Set(patterns ?? []).isDisjoint(with: other.patterns ?? [])
    }

    private func hasSameExtension(as other: PayloadPlace) -> Bool {
        extensionIdentifier == other.extensionIdentifier && teamIdentifier == other.teamIdentifier
    }
}

extension PayloadPlace {
    init(_ payload: SingleSignOnPayload) {
        self.init(
            uuid: payload.uuid, extensionIdentifier: payload.extensionIdentifier,
            teamIdentifier: payload.teamIdentifier, realm: payload.realm,
            patterns: payload.urls.map(\.canonical) + payload.hosts.map(\.canonical))
    }
}
