#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the stores hold: profiles that count, and files that do not, with the reason.
public struct InstalledProfiles: Sendable {
    public struct Entry: Sendable {
        public var profile: Profile
        /// The file.
        public var source: String
        public var kind: ProfileStore.Kind
        /// When the file was written.
        public var installedAt: Date
        /// The name in the certificate of who has signed it; nil if nobody did that the policy names.
        public var signer: String?

        public init(profile: Profile, source: String, kind: ProfileStore.Kind, installedAt: Date, signer: String?) {
            self.profile = profile
            self.source = source
            self.kind = kind
            self.installedAt = installedAt
            self.signer = signer
        }

        /// Whether the brokers of all users can read it, as they have to if it is the device's.
        public var isReadableByUsers: Bool { kind == .user || OwnedFile.isReadableByAll(source) }
    }

    public struct Faulty: Equatable, Sendable {
        /// The file; or the folder or the policy, if nothing of it counts.
        public var source: String
        public var kind: ProfileStore.Kind
        /// The profile's, if it could be read so far.
        public var identifier: String?
        /// Sentences: what is wrong, and what to do.
        public var problem: String

        public init(source: String, kind: ProfileStore.Kind, identifier: String?, problem: String) {
            self.source = source
            self.kind = kind
            self.identifier = identifier
            self.problem = problem
        }
    }

    /// Those whose claims have precedence first, as ``MatchIndex`` wants them.
    public var entries: [Entry]
    public var faulty: [Faulty]
    /// As the policy names them.
    public var managedApps: Set<String> = []

    public init(entries: [Entry] = [], faulty: [Faulty] = []) {
        self.entries = entries
        self.faulty = faulty
    }

    public var profiles: [Profile] { entries.map(\.profile) }
    public var payloads: [SingleSignOnPayload] { entries.flatMap(\.profile.payloads) }
    public var managedDomains: [ManagedDomains] { entries.flatMap(\.profile.managedDomains) }

    /// Of the profile in a file, whether it counts or not; nil if it has none that could be read.
    func identifier(ofFile source: String) -> String? {
        entries.first { $0.source == source }?.profile.identifier ?? faulty.first { $0.source == source }?.identifier
    }
}
