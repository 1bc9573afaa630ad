import SingleSignOn
import SingleSignOnWire

/// What is installed on the device at one moment: profiles, extensions, and the index over both.
struct Installation: Sendable {
    struct Problem: Equatable, Sendable {
        let source: String
        let text: String
    }

    let payloads: [SingleSignOnPayload]
    let index: MatchIndex
    /// By the extension's identifier.
    let manifests: [String: ExtensionManifest]
    let profiles: [BrokerStatus.InstalledProfile]
    let problems: [Problem]
    /// Manifests that do not count.
    let faultyManifests: [ExtensionStore.Faulty]
    /// Where manifests are looked for.
    let extensionFolders: [String]
    /// Whether every profile that is there could be read.
    let areProfilesWhole: Bool
    /// Callers that the organization has put on the device.
    let managedApps: Set<String>
    /// Who installed a payload, by its UUID: the organization that its profile names.
    let organizations: [String: String]
    /// Who needs whose agreement.
    let claims: [DomainRegistry.Claim]

    init() {
        self.init(InstalledProfiles(entries: [], faulty: []), ([], []))
    }

    init(
        _ installed: InstalledProfiles, _ extensions: (manifests: [ExtensionManifest], faulty: [ExtensionStore.Faulty]),
        extensionFolders: [String] = ExtensionStore.standardFolders
    ) {
        let payloads = installed.entries.flatMap(\.profile.payloads)
        let manifests = Dictionary(extensions.manifests.map { ($0.identity.extensionIdentifier, $0) }) { first, _ in
            first
        }
        self.payloads = payloads
        self.manifests = manifests
        index = MatchIndex(payloads)
        organizations = Dictionary(
            installed.entries.flatMap { entry in
                entry.profile.payloads.compactMap { payload in
                    entry.profile.organization.map { (payload.uuid, $0) }
                }
            }
        ) { first, _ in first }
        faultyManifests = extensions.faulty
        self.extensionFolders = extensionFolders
        profiles =
            installed.entries.map { entry in
                let problems = entry.profile.payloads.compactMap {
                    Self.problem(of: $0, in: manifests, faulty: extensions.faulty, folders: extensionFolders)
                }
                return .init(
                    identifier: entry.profile.identifier, name: entry.profile.displayName,
                    organization: entry.profile.organization, source: entry.source, store: entry.kind.rawValue,
                    problem: problems.isEmpty ? nil : Set(problems).sorted().joined(separator: " "))
            }
            + installed.faulty.map {
                .init(
                    identifier: $0.identifier, name: nil, organization: nil, source: $0.source,
                    store: $0.kind.rawValue, problem: $0.problem)
            }
        areProfilesWhole = installed.faulty.isEmpty
        managedApps = installed.managedApps
        problems =
            installed.faulty.map { Problem(source: $0.source, text: $0.problem) }
            + extensions.faulty.map { Problem(source: $0.source, text: $0.problem) }
        claims = DomainRegistry.Claim.all(in: installed) { Self.manifest(of: $0, in: manifests)?.identity }
    }

    /// The extension that a payload names, if it is here and of the same team.
    func manifest(of payload: SingleSignOnPayload) -> ExtensionManifest? { Self.manifest(of: payload, in: manifests) }

    /// Whether the same extension is still asked about all that it was asked about for a payload that is gone: an
    /// organization that issues its profile anew, under another UUID, does not want everybody signed out.
    func hasInPlace(of gone: SingleSignOnPayload) -> Bool {
        let others = payloads.filter {
            $0.extensionIdentifier == gone.extensionIdentifier && $0.teamIdentifier == gone.teamIdentifier
        }
        return switch gone.kind {
        case .redirect(let urls): urls.allSatisfy(Set(others.flatMap(\.urls)).contains)
        case .credential(let hosts, let realm):
            hosts.allSatisfy(Set(others.flatMap(\.hosts)).contains)
                && (realm == nil || others.contains { $0.realm == realm })
        }
    }

    /// Sentences on why a payload's extension cannot be asked; nil if it is here.
    func problem(of payload: SingleSignOnPayload) -> String? {
        Self.problem(of: payload, in: manifests, faulty: faultyManifests, folders: extensionFolders)
    }

    private static func problem(
        of payload: SingleSignOnPayload, in manifests: [String: ExtensionManifest], faulty: [ExtensionStore.Faulty],
        folders: [String]
    ) -> String? {
        guard manifest(of: payload, in: manifests) == nil else { return nil }
        let identifier = payload.extensionIdentifier
        let team = payload.teamIdentifier
        if let other = manifests[identifier]?.identity.teamIdentifier {
            return "\(identifier) is here, but of team \(other); the profile says \(team ?? "")."
        }
        let missing = "\(identifier)\(team.map { " of team \($0)" } ?? "") is not installed."
        let own = faulty.filter { $0.identifier == identifier }
        let nameless = faulty.filter { $0.identifier == nil }
        let reasons =
            own.isEmpty
            ? nameless.map { "It may be that of \($0.source), which does not count: \($0.problem)" }
            : own.map { "\($0.source) does not count: \($0.problem)" }
        guard reasons.isEmpty else { return ([missing] + reasons).joined(separator: " ") }
        return "\(missing) No manifest in \(folders.joined(separator: " or ")) names it."
    }

    private static func manifest(
        of payload: SingleSignOnPayload, in manifests: [String: ExtensionManifest]
    ) -> ExtensionManifest? {
        guard let manifest = manifests[payload.extensionIdentifier] else { return nil }
        // A payload without a team is taken at its word; the validator warns about it.
        guard payload.teamIdentifier == nil || payload.teamIdentifier == manifest.identity.teamIdentifier else {
            return nil
        }
        return manifest
    }
}
