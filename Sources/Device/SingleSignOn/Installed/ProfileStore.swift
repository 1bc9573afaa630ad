#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The profiles of this device and of this user: folders of files.
///
/// It decides which of them count and hands them out as values; nobody but this type looks into the folders. A file of
/// the device counts only if nobody but root can have written it, one of the user only if the system's policy lets
/// users have their own. extensible-sso.md sections 1.5 and 8.18.
public struct ProfileStore: Sendable {
    /// Where profiles lie: folders of files `*.mobileconfig`.
    public struct Locations: Hashable, Sendable {
        public var device: String
        /// Nil for none.
        public var user: String?
        /// A file of JSON, see ``ProfilePolicy``.
        public var policy: String

        public init(device: String, user: String?, policy: String) {
            self.device = device
            self.user = user
            self.policy = policy
        }

        /// `/etc/lanyard/sso/profiles`, `lanyard/sso/profiles` in the user's configuration folder (`XDG_CONFIG_HOME`,
        /// or `.config` in `HOME`), and `/etc/lanyard/sso/policy.json`.
        public static func standard(
            environment: [String: String] = ProcessInfo.processInfo.environment
        ) -> Locations {
            // The XDG specification: a path that is not absolute counts as none.
            func folder(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
            let configuration = folder("XDG_CONFIG_HOME") ?? folder("HOME").map { "\($0)/.config" }
            return Locations(
                device: "/etc/lanyard/sso/profiles", user: configuration.map { "\($0)/lanyard/sso/profiles" },
                policy: "/etc/lanyard/sso/policy.json")
        }
    }

    public enum Kind: String, CaseIterable, Sendable {
        case device, user
    }

    /// What a folder has at most; what lies beyond it is not read.
    static let filesMax = 10_000
    /// Of all files of a folder together.
    static let bytesMax = 64 << 20
    package static let fileExtension = ".mobileconfig"

    public let locations: Locations
    let allowsUserProfiles: Bool

    /// - Parameter allowsUserProfiles: whether the user's profiles count even if the system's policy does not say so. For
    ///   a broker that a developer starts for himself; nothing makes a device's folder count that is not root's.
    public init(_ locations: Locations, allowsUserProfiles: Bool = false) {
        self.locations = locations
        self.allowsUserProfiles = allowsUserProfiles
    }

    /// The folder of a kind; nil if there is none.
    public func folder(of kind: Kind) -> String? {
        switch kind {
        case .device: locations.device
        case .user: locations.user
        }
    }

    /// Reads everything again. Never throws: what cannot be used is in ``InstalledProfiles/faulty``, with the reason.
    ///
    /// Those of the device come first, then those of the user, of each kind the ones that were installed earlier: a
    /// file's time is its owner's to set, and nobody may take a URL from the device with it.
    public func load() -> InstalledProfiles {
        var installed = InstalledProfiles()
        let policy: ProfilePolicy
        do {
            policy = try ProfilePolicy(at: locations.policy)
        } catch {
            // It might have asked for signatures.
            installed.faulty.append(
                .init(
                    source: locations.policy, kind: .device, identifier: nil,
                    problem: "\(error) Until then no profile counts."))
            return installed
        }
        installed.managedApps = policy.managedApps
        var claims = Claims()
        for kind in Kind.allCases {
            guard let folder = folder(of: kind) else { continue }
            let files = ProfileFolder(path: folder, kind: kind)
            guard kind == .device || allowsUserProfiles || policy.allowsUserProfiles else {
                if files.hasProfiles {
                    installed.faulty.append(
                        .init(
                            source: folder, kind: kind, identifier: nil,
                            problem: "Profiles of users do not count here: \(locations.policy) does not allow them."))
                }
                continue
            }
            let (found, faulty) = files.read(policy)
            installed.faulty += faulty
            for entry in found.sorted(by: { ($0.installedAt, $0.source) < ($1.installedAt, $1.source) }) {
                if let problem = claims.problem(of: entry.profile) {
                    installed.faulty.append(
                        .init(
                            source: entry.source, kind: kind, identifier: entry.profile.identifier, problem: problem))
                } else {
                    claims.add(entry.profile)
                    installed.entries.append(entry)
                }
            }
        }
        return installed
    }
}
