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

/// Files encrypted with AES-GCM, so that they cannot be read from the disk alone. A file's path is authenticated with
/// it, so that one file cannot be swapped for another.
///
/// A file is replaced as a whole and is on disk when `write` returns.
package final class Vault: Sendable {
    /// The key cannot be read now, so nothing can be read or saved.
    package struct Locked: Error, CustomStringConvertible {
        package let description =
            "the key of what is saved is in the desktop's keyring, which is locked or not running: unlock it"
    }

    private let root: ExtensionFolder
    private let log: @Sendable (String) -> Void
    private let findKey: @Sendable (ExtensionFolder, @Sendable (String) -> Void) throws -> VaultKey
    private let found = Mutex(Found())

    private struct Found {
        var key: VaultKey?
        /// The time since the keyring was found locked. It is not asked again for two seconds, because one request
        /// reads several files.
        var locked: Stopwatch?
    }

    /// - Parameter application: the name under which the desktop's keyring has the key, such as `org.lanyard.openid`.
    package convenience init(_ root: ExtensionFolder, application: String) {
        self.init(root) { try VaultKey.find($0, application: application, log: $1) }
    }

    /// - Parameter findKey: reads or makes the key. Called at the first use, and again only after a failure.
    package init(
        _ root: ExtensionFolder, log: @escaping @Sendable (String) -> Void = writeToLog,
        findKey: @escaping @Sendable (ExtensionFolder, @Sendable (String) -> Void) throws -> VaultKey
    ) {
        self.root = root
        self.log = log
        self.findKey = findKey
    }

    /// - Throws: ``Locked``, `ExtensionFolder.CannotWrite`
    package func key() throws -> VaultKey {
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

    /// Holds a lock on the folder while `body` runs, because the extension and the command line are two processes and
    /// must not both make a key. Not reentrant.
    package func exclusively<Value>(_ body: () throws -> Value) throws -> Value {
        try FileManager.default.createDirectory(
            atPath: root.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let descriptor = open("\(root.path)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CannotLock(path: root.path, reason: String(cString: strerror(errno))) }
        // Closing the file releases the lock.
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
        return try body()
    }

    package struct CannotLock: Error, CustomStringConvertible {
        let path: String
        let reason: String

        package var description: String { "\(path) cannot be used: \(reason)" }
    }

    /// - Returns: nil if there is no such file, or if it cannot be decrypted, which is logged.
    /// - Throws: ``Locked``, `ExtensionFolder.CannotRead`
    package func read(_ name: String, in folder: ExtensionFolder? = nil) throws -> Data? {
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
    package func write(_ data: Data, to name: String, in folder: ExtensionFolder? = nil) throws {
        let folder = folder ?? root
        let box = try AES.GCM.seal(data, using: key().key, authenticating: place(name, folder))
        guard let sealed = box.combined else { throw Locked() }
        try folder.write(sealed, to: name)
    }

    package func remove(_ name: String, in folder: ExtensionFolder? = nil) { (folder ?? root).remove(name) }

    private func place(_ name: String, _ folder: ExtensionFolder) -> Data {
        let below = folder.path.hasPrefix(root.path) ? String(folder.path.dropFirst(root.path.count)) : folder.path
        return Data("\(below)/\(name)".utf8)
    }
}

extension ExtensionFolder {
    /// Distinguishes a missing file from one that cannot be read, which must not be overwritten.
    /// - Returns: nil if there is no such file.
    /// - Throws: ``CannotRead``
    package func readIfThere(_ name: String) throws -> Data? {
        if let data = read(name) { return data }
        var information = stat()
        guard lstat("\(path)/\(name)", &information) == 0 || errno != ENOENT && errno != ENOTDIR else { return nil }
        // The file may have been created since the first attempt.
        guard let data = read(name) else { throw CannotRead(path: "\(path)/\(name)") }
        return data
    }

    package struct CannotRead: Error, CustomStringConvertible {
        let path: String

        package var description: String { "\(path) is there and cannot be read; nothing is written in its place" }
    }
}
