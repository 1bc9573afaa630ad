import Crypto
import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

extension ProfileStore {
    /// The result of an installation.
    public struct Installation: Sendable {
        public let entry: InstalledProfiles.Entry
        /// Warnings and information about the profile.
        public let findings: [Finding]
        /// Whether it has replaced a profile with the same identifier.
        public let isReplacement: Bool
    }

    /// Why a profile was not installed or removed. Nothing has changed then.
    public enum InstallationError: Error, CustomStringConvertible {
        /// The profile has errors, or clashes with what is installed.
        case refused([Finding])
        /// The store cannot be used; sentences say what to do.
        case unusable(String)
        case unknownIdentifier(String, ProfileStore.Kind)

        public var description: String {
            switch self {
            case .refused(let findings): findings.map(\.description).joined(separator: "\n")
            case .unusable(let problem): problem
            case .unknownIdentifier(let identifier, let kind):
                "There is no profile “\(identifier)” among those of the \(kind.rawValue)."
            }
        }
    }

    /// Installs a profile, replacing one with the same identifier. It writes the whole file or nothing, and never one
    /// that ``load()`` would refuse.
    ///
    /// - Parameter file: a property list, XML or binary, or one of those in a CMS wrapper. It is stored unchanged.
    /// - Throws: ``InstallationError``
    @discardableResult
    public func install(_ file: Data, into kind: Kind) throws(InstallationError) -> Installation {
        let policy: ProfilePolicy
        do {
            policy = try ProfilePolicy(at: locations.policy)
        } catch {
            throw .unusable("\(error) Until then no profile counts.")
        }
        let path = try writablePath(of: kind, policy)
        try makeUsable(path, of: kind)
        let lock = try StoreLock(in: path)
        defer { lock.release() }

        // A profile of the user must not clash with any other; one of the device takes precedence over those of users.
        let present = load()
        let beside = present.entries.filter { kind == .user || $0.kind == .device }
        let reading = ProfileReading(
            file, signers: policy.signers, requiresSignature: policy.requiresSignature,
            beside: beside.map(\.profile))
        guard let profile = reading.profile else { throw .refused(reading.errors) }
        if let other = beside.first(where: { $0.profile.identifier == profile.identifier && $0.kind != kind }) {
            throw .refused([
                Finding(
                    .error, at: "PayloadIdentifier",
                    "The \(other.kind.rawValue) has a profile “\(profile.identifier)” already: \(other.source).",
                    remedy: "Give this one an identifier of its own.")
            ])
        }
        let replaced = beside.first { $0.profile.identifier == profile.identifier }
        if let replaced, isDropIn(replaced.source) {
            throw .refused([
                Finding(
                    .error, at: "PayloadIdentifier",
                    "“\(profile.identifier)” is in \(replaced.source) already, which somebody else keeps.",
                    remedy: "Write the new profile to that file, or remove the file first.")
            ])
        }
        let target = replaced?.source ?? "\(path)/\(Self.fileName(of: profile.identifier))"
        if let other = present.identifier(ofFile: target), other != profile.identifier {
            throw .unusable("\(target) holds the profile “\(other)”. Give that file another name first.")
        }
        do {
            try WholeFile.write(file, to: target, mode: 0o644, folderMode: Self.folderMode(of: kind))
        } catch {
            throw .unusable("\(error).")
        }
        var status = stat()
        guard stat(target, &status) == 0 else { throw .unusable(Self.cannot("read", target, errno, kind)) }
        let entry = InstalledProfiles.Entry(
            profile: profile, source: target, kind: kind, installedAt: status.changedAt, signer: reading.signer)
        return Installation(entry: entry, findings: reading.findings, isReplacement: replaced != nil)
    }

    /// Removes the profile with an identifier, also from faulty files.
    /// - Returns: the files that were removed.
    /// - Throws: ``InstallationError``
    @discardableResult
    public func remove(identifier: String, from kind: Kind) throws(InstallationError) -> [String] {
        // Include users' profiles even where they do not count, so that they can always be removed.
        let present = ProfileStore(locations, allowsUserProfiles: true).load()
        let files =
            present.entries.filter { $0.kind == kind && $0.profile.identifier == identifier }.map(\.source)
            + present.faulty.filter { $0.kind == kind && $0.identifier == identifier }.map(\.source)
        guard !files.isEmpty else {
            // A folder that could not be read may contain the profile.
            let unread = present.faulty.first { $0.source == locations.policy || $0.source == folder(of: kind) }
            throw unread.map { .unusable($0.problem) } ?? .unknownIdentifier(identifier, kind)
        }
        for file in files {
            guard unlink(file) == 0 || errno == ENOENT else {
                throw .unusable(Self.cannot("removed", file, errno, kind))
            }
        }
        return files
    }

    private func writablePath(of kind: Kind, _ policy: ProfilePolicy) throws(InstallationError) -> String {
        guard let path = folder(of: kind) else {
            throw .unusable("There is no folder for profiles of the \(kind.rawValue): HOME is not set.")
        }
        guard kind == .device || allowsUserProfiles || policy.allowsUserProfiles else {
            throw .unusable(
                "Users cannot install profiles here. The administrator can allow it: write "
                    + "{\"allowUserProfiles\": true} to \(locations.policy).")
        }
        if kind == .device, geteuid() != 0 {
            throw .unusable("Only root installs profiles for the device: use sudo, or --user for your own.")
        }
        return path
    }

    private static func folderMode(of kind: Kind) -> mode_t { kind == .device ? 0o755 : 0o700 }

    /// Creates the folder if it is missing, and checks that it can be used.
    private func makeUsable(_ path: String, of kind: Kind) throws(InstallationError) {
        do throws(CannotWriteFile) {
            try WholeFile.makeFolders(path, mode: Self.folderMode(of: kind))
        } catch {
            throw .unusable("\(error).")
        }
        do throws(FileProblem) {
            guard try ProfileFolder(path: path, kind: kind).openChecked() != nil else {
                throw FileProblem("\(path) is gone.")
            }
        } catch {
            throw .unusable(error.description)
        }
    }

    private static func cannot(_ verb: String, _ path: String, _ code: Int32, _ kind: Kind) -> String {
        let remedy = kind == .device && geteuid() != 0 ? " Only root changes what the device has: use sudo." : ""
        return "\(path) cannot be \(verb): \(String(cString: strerror(code))).\(remedy)"
    }

    /// A long identifier is cut and gets its digest at the end.
    static func fileName(of identifier: String) -> String {
        var name = identifier.fileName
        if name.utf8.count > 200 {
            name = "\(name.prefix(120))-\(Array(SHA256.hash(data: Data(identifier.utf8))).hexadecimal)"
        }
        return name + fileExtension
    }
}

/// Allows one installation at a time. It locks a file that other users cannot open, so that they cannot hold the lock.
private struct StoreLock {
    private let descriptor: Int32
    private static let patience = Duration.seconds(10)

    init(in folder: String) throws(ProfileStore.InstallationError) {
        let path = "\(folder)/.lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .unusable("\(path) cannot be written: \(String(cString: strerror(errno))).")
        }
        let waiting = Stopwatch()
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard waiting.elapsed < Self.patience else {
                close(descriptor)
                throw .unusable("Another installation holds \(path). Try again when it has ended.")
            }
            usleep(20_000)
        }
    }

    func release() { close(descriptor) }
}
