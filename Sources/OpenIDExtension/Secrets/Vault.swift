import Crypto
import SingleSignOnExtension
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
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
    private let found = Mutex<VaultKey?>(nil)

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
            if let found { return found }
            let key = try findKey(root, log)
            found = key
            return key
        }
    }

    /// - Returns: nil if there is no such file, or it cannot be deciphered; the log says so then.
    /// - Throws: ``Locked``
    func read(_ name: String, in folder: ExtensionFolder? = nil) throws -> Data? {
        let folder = folder ?? root
        guard let sealed = folder.read(name) else { return nil }
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
