import SingleSignOn

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Identifies one agreement: that of a host to an extension of a team.
struct DomainKey: Hashable, Comparable {
    let team: String
    let `extension`: String
    let host: String

    init(team: String, extension: String, host: String) {
        self.team = team
        self.extension = `extension`
        self.host = host
    }

    init(_ claim: DomainRegistry.Claim) {
        self.init(
            team: claim.identity.teamIdentifier, extension: claim.identity.extensionIdentifier, host: claim.host)
    }

    static func < (left: DomainKey, right: DomainKey) -> Bool {
        (left.extension, left.host, left.team) < (right.extension, right.host, right.team)
    }
}

/// Identifies one association file. Entries for the same domain share it, unless only one of them is in developer mode.
struct AssociationFileKey: Hashable {
    let entry: AssociatedDomain

    init(_ entry: AssociatedDomain) { self.entry = entry }

    static func == (left: AssociationFileKey, right: AssociationFileKey) -> Bool {
        left.entry.domain == right.entry.domain && left.isDeveloper == right.isDeveloper
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(entry.domain)
        hasher.combine(isDeveloper)
    }

    private var isDeveloper: Bool { entry.mode?.isDeveloper == true }
}

/// What a domain has answered about an extension, as it is stored.
struct DomainRecord: Codable {
    let team: String
    let `extension`: String
    let host: String
    /// The application identifiers by which the domain may name the extension.
    let applications: Set<String>
    /// The entry by which the host was claimed.
    let entry: String
    let approval: DomainApproval

    init(_ claim: DomainRegistry.Claim, _ approval: DomainApproval) {
        team = claim.identity.teamIdentifier
        `extension` = claim.identity.extensionIdentifier
        host = claim.host
        applications = claim.identity.applicationIdentifiers
        entry = claim.domain.map(String.init(describing:)) ?? ""
        self.approval = approval
    }

    var key: DomainKey { DomainKey(team: team, extension: `extension`, host: host) }

    func isAbout(_ claim: DomainRegistry.Claim) -> Bool {
        key == DomainKey(claim) && applications == claim.identity.applicationIdentifiers
            && entry == claim.domain.map(String.init(describing:))
    }
}

extension DomainApproval.State {
    /// The name in the broker's interface, `GET /v1/domains`.
    var name: String {
        switch self {
        case .approved: "approved"
        case .denied: "denied"
        case .unreachable: "unreachable"
        }
    }

    var reason: String? {
        switch self {
        case .approved: nil
        case .denied(let reason), .unreachable(let reason): reason
        }
    }
}
