import SingleSignOn
import SingleSignOnWire

/// What is installed on the device at one moment: profiles, extensions, and an index of them.
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
    /// Manifests that cannot be used, with the reasons.
    let faultyManifests: [ExtensionStore.Faulty]
    /// The folders in which manifests are looked for.
    let extensionFolders: [String]
    /// Whether every installed profile could be read.
    let areProfilesWhole: Bool
    /// The identifiers of apps that the organization has put on the device.
    let managedApps: Set<String>
    /// The organization that a payload's profile names, by the payload's UUID.
    let organizations: [String: String]
    /// The extensions and hosts for which a domain has to agree.
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
                let notes = entry.profile.payloads.flatMap(\.kerberosNotes)
                return .init(
                    identifier: entry.profile.identifier, name: entry.profile.displayName,
                    organization: entry.profile.organization, source: entry.source, store: entry.kind.rawValue,
                    problem: problems.isEmpty ? nil : Set(problems).sorted().joined(separator: " "),
                    notes: notes.isEmpty ? nil : notes)
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

    /// The manifest of the extension that a payload names; nil if it is not installed, or is of another team.
    func manifest(of payload: SingleSignOnPayload) -> ExtensionManifest? { Self.manifest(of: payload, in: manifests) }

    /// Whether other payloads of the same extension cover everything that a removed payload covered. An organization
    /// may issue its profile again under another UUID, and does not want everyone signed out by that.
    func hasInPlace(of gone: SingleSignOnPayload) -> Bool {
        PayloadPlace(gone).isCovered(by: payloads.map { PayloadPlace($0) })
    }

    /// Sentences on why a payload's extension cannot be asked; nil if it can be.
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
        // A payload may leave out the team, though the validator warns about that. Then any team counts.
        guard payload.teamIdentifier == nil || payload.teamIdentifier == manifest.identity.teamIdentifier else {
            return nil
        }
        return manifest
    }
}
