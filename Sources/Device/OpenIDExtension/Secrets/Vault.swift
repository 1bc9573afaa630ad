import Crypto
import Ground
import SingleSignOnExtension
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#endif

/// Files that nobody can read who has only the disk: AES-GCM, each bound to its place, so that none can be put in
/// another's.
///
/// A file is replaced as a whole and is on the disk when `write` returns.
final class Vault: Sendable {
    /// Why something saved is not there, or nothing can be saved.
    struct Locked: Error, CustomStringConvertible {
        let description =
            "the key of what is saved is in the desktop's keyring, which is locked or not running: unlock it"
    }

    private let root: ExtensionFolder
    private let log: @Sendable (String) -> Void
    private let findKey: @Sendable (ExtensionFolder, @Sendable (String) -> Void) throws -> VaultKey
    private let found = Mutex(Found())

    private struct Found {
        var key: VaultKey?
        /// Since the keyring was found locked. It is not asked again for a moment: many files are read in one.
        var locked: Stopwatch?
    }

    /// - Parameter findKey: called when the first file is read or written, and again only while it fails.
    init(
        _ root: ExtensionFolder, log: @escaping @Sendable (String) -> Void = writeToLog,
        findKey: @escaping @Sendable (ExtensionFolder, @Sendable (String) -> Void) throws -> VaultKey = VaultKey.find
    ) {
        self.root = root
        self.log = log
        self.findKey = findKey
    }

    /// - Throws: ``Locked``, `ExtensionFolder.CannotWrite`
    func key() throws -> VaultKey {
        try found.withLock { found in
            if let key = found.key { return key }
            if let locked = found.locked, locked.elapsed < .seconds(2) { throw Locked() }
            do {
                let key = try exclusively { try findKey(root, log) }
                found.key = key
                return key
            } catch let locked as Locked {
                found.locked = Stopwatch()
                throw locked
            }
        }
    }

    /// While this runs, no other program makes a key for the folder: the extension and a person's command may meet.
    func exclusively<Value>(_ body: () throws -> Value) throws -> Value {
        try FileManager.default.createDirectory(
            atPath: root.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let descriptor = open("\(root.path)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CannotLock(path: root.path, reason: String(cString: strerror(errno))) }
        // Closing it lets it go.
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
        return try body()
    }

    struct CannotLock: Error, CustomStringConvertible {
        let path: String
        let reason: String

        var description: String { "\(path) cannot be used: \(reason)" }
    }

    /// - Returns: nil if there is no such file, or it cannot be deciphered; the log says so then.
    /// - Throws: ``Locked``, `ExtensionFolder.CannotRead`
    func read(_ name: String, in folder: ExtensionFolder? = nil) throws -> Data? {
        let folder = folder ?? root
        guard let sealed = try folder.readIfThere(name) else { return nil }
        let key = try key()
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let data = try? AES.GCM.open(box, using: key.key, authenticating: place(name, folder))
        else {
            log("\(folder.path)/\(name) was written with another key, or damaged: it is left alone and not used")
            return nil
        }
        return data
    }

    /// - Throws: ``Locked``, `ExtensionFolder.CannotWrite`
    func write(_ data: Data, to name: String, in folder: ExtensionFolder? = nil) throws {
        let folder = folder ?? root
        let box = try AES.GCM.seal(data, using: key().key, authenticating: place(name, folder))
        guard let sealed = box.combined else { throw Locked() }
        try folder.write(sealed, to: name)
    }

    func remove(_ name: String, in folder: ExtensionFolder? = nil) { (folder ?? root).remove(name) }

    private func place(_ name: String, _ folder: ExtensionFolder) -> Data {
        let below = folder.path.hasPrefix(root.path) ? String(folder.path.dropFirst(root.path.count)) : folder.path
        return Data("\(below)/\(name)".utf8)
    }
}

extension ExtensionFolder {
    /// A file that is there and cannot be read is no missing one: what is written in its place would take what it holds.
    /// - Returns: nil if there is no such file.
    /// - Throws: ``CannotRead``
    func readIfThere(_ name: String) throws -> Data? {
        if let data = read(name) { return data }
        var information = stat()
        guard lstat("\(path)/\(name)", &information) == 0 || errno != ENOENT && errno != ENOTDIR else { return nil }
        // It may just have come.
        guard let data = read(name) else { throw CannotRead(path: "\(path)/\(name)") }
        return data
    }

    struct CannotRead: Error, CustomStringConvertible {
        let path: String

        var description: String { "\(path) is there and cannot be read; nothing is written in its place" }
    }
}
