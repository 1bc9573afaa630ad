import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// The extensions on this device: manifests in folders.
public struct ExtensionStore: Sendable {
    /// Folders of files `*.json`; the first that names an extension has it.
    public let folders: [String]
    /// Whether what the user owns counts too, and not root's alone: while somebody writes an extension.
    public let trustsUser: Bool

    /// Where packages put manifests, and where an administrator does.
    public static let standardFolders = ["/etc/lanyard/sso/extensions", "/usr/share/lanyard/sso/extensions"]

    public init(folders: [String] = standardFolders, trustsUser: Bool = false) {
        self.folders = folders
        self.trustsUser = trustsUser
    }

    public struct Faulty: Equatable, Sendable {
        public let source: String
        public let problem: String
    }

    /// Everything that is there.
    public func load() -> (manifests: [ExtensionManifest], faulty: [Faulty]) {
        var manifests: [ExtensionManifest] = []
        var faulty: [Faulty] = []
        for folder in folders {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            for name in names.sorted() where name.hasSuffix(".json") && !name.hasPrefix(".") {
                let path = "\(folder)/\(name)"
                do {
                    let manifest = try read(path)
                    let identifier = manifest.identity.extensionIdentifier
                    if manifests.contains(where: { $0.identity.extensionIdentifier == identifier }) {
                        faulty.append(Faulty(source: path, problem: "another manifest has “\(identifier)” already"))
                    } else {
                        manifests.append(manifest)
                    }
                } catch {
                    faulty.append(Faulty(source: path, problem: "\(error)"))
                }
            }
        }
        return (manifests, faulty)
    }

    private func read(_ path: String) throws -> ExtensionManifest {
        try checkOwner(of: path, isProgram: false)
        guard let data = FileManager.default.contents(atPath: path) else { throw Distrust("it cannot be read") }
        let manifest = try ExtensionManifest(reading: data)
        try checkOwner(of: manifest.executable, isProgram: true)
        return manifest
    }

    private struct Distrust: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// Nobody else must be able to put another in its place.
    private func checkOwner(of path: String, isProgram: Bool) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Distrust("\(path): \(String(cString: strerror(errno)))") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Distrust("\(path) is no file") }
        guard status.st_uid == 0 || trustsUser && status.st_uid == geteuid() else {
            throw Distrust("\(path) does not belong to root: make it so with chown, or run the broker for authors")
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw Distrust("\(path) can be written by others: take that right away with chmod go-w")
        }
        if status.st_uid == 0, let problem = FileOwner.root.problem(above: path) { throw Distrust(problem) }
        guard !isProgram || access(path, X_OK) == 0 else { throw Distrust("\(path) cannot be started") }
    }
}
