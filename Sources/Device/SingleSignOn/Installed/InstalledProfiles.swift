#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The profiles that count, and the files that do not, with the reason.
public struct InstalledProfiles: Sendable {
    public struct Entry: Sendable {
        public var profile: Profile
        /// The path of the file.
        public var source: String
        public var kind: ProfileStore.Kind
        /// When the file was written.
        public var installedAt: Date
        /// The name in the signer's certificate; nil if none of the policy's signers has signed it.
        public var signer: String?

        public init(profile: Profile, source: String, kind: ProfileStore.Kind, installedAt: Date, signer: String?) {
            self.profile = profile
            self.source = source
            self.kind = kind
            self.installedAt = installedAt
            self.signer = signer
        }

        /// Whether the brokers of all users can read it, which a profile of the device requires.
        public var isReadableByUsers: Bool { kind == .user || OwnedFile.isReadableByAll(source) }
    }

    public struct Faulty: Equatable, Sendable {
        /// The path of the file, or of a folder or policy if nothing in it counts.
        public var source: String
        public var kind: ProfileStore.Kind
        /// The profile's identifier, if that could be read.
        public var identifier: String?
        /// Sentences that say what is wrong and what to do.
        public var problem: String

        public init(source: String, kind: ProfileStore.Kind, identifier: String?, problem: String) {
            self.source = source
            self.kind = kind
            self.identifier = identifier
            self.problem = problem
        }
    }

    /// In the order of precedence of their claims, as ``MatchIndex`` expects.
    public var entries: [Entry]
    public var faulty: [Faulty]
    /// The managed apps of the policy.
    public var managedApps: Set<String> = []

    public init(entries: [Entry] = [], faulty: [Faulty] = []) {
        self.entries = entries
        self.faulty = faulty
    }

    public var profiles: [Profile] { entries.map(\.profile) }
    public var payloads: [SingleSignOnPayload] { entries.flatMap(\.profile.payloads) }
    public var managedDomains: [ManagedDomains] { entries.flatMap(\.profile.managedDomains) }

    /// The identifier of the profile in a file, whether it counts or not; nil if it could not be read.
    func identifier(ofFile source: String) -> String? {
        entries.first { $0.source == source }?.profile.identifier ?? faulty.first { $0.source == source }?.identifier
    }
}
