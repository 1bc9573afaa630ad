#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// The extensions on this device: manifests in folders.
public struct ExtensionStore: Sendable {
    /// Folders with files `*.json`. If several name the same extension, the first one counts.
    public let folders: [String]
    /// Whether files of the user count as well as root's, for authors of extensions.
    public let trustsUser: Bool

    /// The folders for administrators and for packages.
    public static let standardFolders = ["/etc/lanyard/sso/extensions", "/usr/share/lanyard/sso/extensions"]

    package static let fileExtension = ".json"

    public init(folders: [String] = standardFolders, trustsUser: Bool = false) {
        self.folders = folders
        self.trustsUser = trustsUser
    }

    public struct Faulty: Equatable, Sendable {
        public let source: String
        /// The extension's identifier, if that could be read.
        public let identifier: String?
        public let problem: String
    }

    /// Reads all manifests.
    public func load() -> (manifests: [ExtensionManifest], faulty: [Faulty]) {
        var manifests: [ExtensionManifest] = []
        var faulty: [Faulty] = []
        for folder in folders {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            for name in names.sorted() where name.hasSuffix(Self.fileExtension) && !name.hasPrefix(".") {
                let path = "\(folder)/\(name)"
                var identifier: String?
                do {
                    let manifest = try read(path)
                    let name = manifest.identity.extensionIdentifier
                    identifier = name
                    guard !manifests.contains(where: { $0.identity.extensionIdentifier == name }) else {
                        throw FileProblem("Another manifest has “\(name)” already.")
                    }
                    try OwnedFile.checkProgram(manifest.executable, of: owner(of: manifest.executable))
                    manifests.append(manifest)
                } catch {
                    faulty.append(Faulty(source: path, identifier: identifier, problem: "\(error)"))
                }
            }
        }
        return (manifests, faulty)
    }

    private static let bytesMax = 64 << 10

    private func read(_ path: String) throws -> ExtensionManifest {
        guard let file = try OwnedFile.read(path, by: owner(of: path), bytesMax: Self.bytesMax) else {
            throw FileProblem("\(path) is gone.")
        }
        return try ExtensionManifest(reading: file.data)
    }

    /// The required owner: root, or for authors of extensions the user for their own files.
    private func owner(of path: String) -> FileOwner {
        var status = stat()
        guard trustsUser, geteuid() != 0, stat(path, &status) == 0, status.st_uid == geteuid() else { return .root }
        return .thisUser
    }
}
