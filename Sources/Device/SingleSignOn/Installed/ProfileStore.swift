#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The profiles of this device and of this user: folders of files.
///
/// It decides which of them count and returns them as values; no other type reads the folders. A file of the device
/// counts only if nobody but root can have written it, a file of the user only if the device's policy allows that.
/// docs/specifications/extensible-single-sign-on.md, 1.15 and 4.
public struct ProfileStore: Sendable {
    /// The places of profiles: folders with files `*.mobileconfig`.
    public struct Locations: Hashable, Sendable {
        /// The folder that ``ProfileStore/install(_:into:)`` writes to for the device.
        public var device: String
        /// A further folder of the device, into which administrators, packages and tools put files by themselves. Nil for none.
        public var dropIns: String?
        /// Nil if the user has no folder.
        public var user: String?
        /// The path of a JSON file, see ``ProfilePolicy``.
        public var policy: String

        public init(device: String, dropIns: String? = nil, user: String?, policy: String) {
            self.device = device
            self.dropIns = dropIns
            self.user = user
            self.policy = policy
        }

        /// `/etc/lanyard/sso/profiles`, `/etc/lanyard/sso.d`, `lanyard/sso/profiles` in the user's configuration folder
        /// (`XDG_CONFIG_HOME`, or `.config` in `HOME`), and `/etc/lanyard/sso/policy.json`.
        public static func standard(
            environment: [String: String] = ProcessInfo.processInfo.environment
        ) -> Locations {
            // XDG Base Directory Specification: a path that is not absolute is ignored.
            func folder(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
            let configuration = folder("XDG_CONFIG_HOME") ?? folder("HOME").map { "\($0)/.config" }
            return Locations(
                device: "/etc/lanyard/sso/profiles", dropIns: "/etc/lanyard/sso.d",
                user: configuration.map { "\($0)/lanyard/sso/profiles" }, policy: "/etc/lanyard/sso/policy.json")
        }
    }

    public enum Kind: String, CaseIterable, Sendable {
        case device, user
    }

    /// The maximum number of files in a folder; further ones are not read.
    static let filesMax = 10_000
    /// The maximum size of all files of a folder together, in bytes.
    static let bytesMax = 64 << 20
    package static let fileExtension = ".mobileconfig"

    public let locations: Locations
    let allowsUserProfiles: Bool

    /// - Parameter allowsUserProfiles: whether the user's profiles count even if the policy does not allow them, for a
    ///   broker that a developer starts. The device's folder always has to be root's.
    public init(_ locations: Locations, allowsUserProfiles: Bool = false) {
        self.locations = locations
        self.allowsUserProfiles = allowsUserProfiles
    }

    /// The folder of a kind into which profiles are installed; nil if there is none.
    public func folder(of kind: Kind) -> String? {
        switch kind {
        case .device: locations.device
        case .user: locations.user
        }
    }

    /// The folders of a kind, in the order in which their profiles count.
    private func folders(of kind: Kind) -> [String] {
        switch kind {
        case .device: [locations.device, locations.dropIns].compactMap(\.self)
        case .user: [locations.user].compactMap(\.self)
        }
    }

    /// Whether a file is in the folder of ``Locations/dropIns``.
    func isDropIn(_ source: String) -> Bool {
        locations.dropIns.map { source.hasPrefix("\($0)/") } ?? false
    }

    /// Reads everything again. Never throws: files that cannot be used are in ``InstalledProfiles/faulty``, with the
    /// reason.
    ///
    /// Profiles of the device come before those of the user. Among those that were installed, the earlier ones come
    /// first; users can set the times of their files, and must not take a URL from the device in this way. Drop-ins of the
    /// device follow, by the names of their files, since packages and tools set times as they like.
    public func load() -> InstalledProfiles {
        var installed = InstalledProfiles()
        let policy: ProfilePolicy
        do {
            policy = try ProfilePolicy(at: locations.policy)
        } catch {
            // The unreadable policy might have required signatures.
            installed.faulty.append(
                .init(
                    source: locations.policy, kind: .device, identifier: nil,
                    problem: "\(error) Until then no profile counts."))
            return installed
        }
        installed.managedApps = policy.managedApps
        var claims = Claims()
        for (kind, folder) in Kind.allCases.flatMap({ kind in folders(of: kind).map { (kind, $0) } }) {
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
            let isByName = folder == locations.dropIns
            let ordered = found.sorted {
                isByName ? $0.source < $1.source : ($0.installedAt, $0.source) < ($1.installedAt, $1.source)
            }
            for entry in ordered {
                if let problem = claims.problem(of: entry.profile) {
                    installed.faulty.append(
                        .init(
                            source: entry.source, kind: kind, identifier: entry.profile.identifier, problem: problem))
                } else {
                    claims.add(entry.profile, of: entry.source)
                    installed.entries.append(entry)
                }
            }
        }
        return installed
    }
}
