import Crypto
import CSecretService
import Ground
import SingleSignOnExtension

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#endif

/// The vault's key, and where it is kept.
package struct VaultKey: Sendable {
    package enum Place: Sendable {
        case secretService
        /// A file that only this user can read.
        case file(String)

        package var description: String {
            switch self {
            case .secretService: "in the desktop's keyring (Secret Service)"
            case .file(let path):
                "in the file \(path), which this user alone can read; whoever can read this user's files can read it"
            }
        }
    }

    package struct Damaged: Error, CustomStringConvertible {
        package let path: String

        package var description: String {
            "\(path) is no key: remove it, and what was saved is forgotten, or put the right one in its place"
        }
    }

    package let key: SymmetricKey
    package let place: Place

    private static let fileName = "key"
    /// An empty file that shows that the key is in the Secret Service. While that is unavailable, a new key must not be
    /// made: it could not decrypt what was saved.
    private static let markName = "key-in-secret-service"

    /// Reads the key, or makes one: in the Secret Service if that answers, else in a file. An existing key is never
    /// moved.
    /// - Throws: ``Vault/Locked``, `ExtensionFolder.CannotRead`, `ExtensionFolder.CannotWrite`, ``Damaged``
    package static func find(
        _ folder: ExtensionFolder, application: String, log: @Sendable (String) -> Void
    ) throws -> VaultKey {
        let keyring = Keyring(application: application)
        return try find(folder, log: log, read: keyring.read, write: keyring.write)
    }

    package static func find(
        _ folder: ExtensionFolder, log: @Sendable (String) -> Void, read: (ExtensionFolder) -> Secret,
        write: (SymmetricKey, ExtensionFolder) -> Bool
    ) throws -> VaultKey {
        let path = "\(folder.path)/\(fileName)"
        if let bytes = try folder.readIfThere(fileName) {
            guard bytes.count == 32 else { throw Damaged(path: path) }
            if isOpenToOthers(path) {
                log("\(path) could be read by others, who may have the key; now this user alone can read it")
                chmod(path, 0o600)
            }
            return VaultKey(key: SymmetricKey(data: bytes), place: .file(path))
        }
        let isMarked = try folder.readIfThere(markName) != nil
        switch read(folder) {
        case .found(let bytes):
            if !isMarked { try folder.write(Data(), to: markName) }
            return VaultKey(key: SymmetricKey(data: bytes), place: .secretService)
        case .missing:
            let key = SymmetricKey(size: .bits256)
            if write(key, folder) {
                try folder.write(Data(), to: markName)
                return VaultKey(key: key, place: .secretService)
            }
        case .unavailable: break
        }
        guard !isMarked else { throw Vault.Locked() }
        let key = SymmetricKey(size: .bits256)
        try folder.write(key.withUnsafeBytes { Data($0) }, to: fileName)
        let place = Place.file(path)
        log("no Secret Service is open here, so the key of what is saved is \(place.description)")
        return VaultKey(key: key, place: place)
    }

    /// Where the key of a folder is, for a look that makes none and moves none.
    package enum Found: Equatable, Sendable {
        case file(String, isOpenToOthers: Bool)
        /// In the Secret Service.
        case keyring(KeyringState)
        /// There is none yet. It will be in the Secret Service if that is open.
        case nothing(KeyringState)
    }

    package enum KeyringState: Equatable, Sendable { case open, locked, absent }

    /// - Parameters:
    ///   - folder: the path of the extension's folder, which may be missing.
    ///   - application: the name under which the desktop's keyring has the key.
    package static func look(into folder: String, application: String) -> Found {
        let path = "\(folder)/\(fileName)"
        if access(path, F_OK) == 0 { return .file(path, isOpenToOthers: isOpenToOthers(path)) }
        let state = Keyring(application: application).state(ExtensionFolder(path: folder))
        return access("\(folder)/\(markName)", F_OK) == 0 ? .keyring(state) : .nothing(state)
    }

    private static func isOpenToOthers(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & 0o077 != 0
    }

    /// The Secret Service's answer when it is asked for the key.
    package enum Secret { case found([UInt8]), missing, unavailable }
}

/// The desktop's keyring, for the key of one application's vaults.
private struct Keyring {
    let application: String

    /// The folder's path is part of the name, so that each folder has a key of its own.
    private func purpose(_ folder: ExtensionFolder) -> String { "key of \(folder.path)" }

    func state(_ folder: ExtensionFolder) -> VaultKey.KeyringState {
        switch ask(folder).result {
        case LANYARD_SECRET_FOUND, LANYARD_SECRET_MISSING: .open
        case LANYARD_SECRET_LOCKED: .locked
        default: .absent
        }
    }

    private func ask(_ folder: ExtensionFolder) -> (result: lanyard_secret_result, bytes: [UInt8], length: Int) {
        var bytes = [UInt8](repeating: 0, count: 64)
        var length = 0
        let result = lanyard_secret_read(application, purpose(folder), &bytes, bytes.count, &length)
        return (result, bytes, length)
    }

    func read(_ folder: ExtensionFolder) -> VaultKey.Secret {
        let (result, bytes, length) = ask(folder)
        return switch result {
        case LANYARD_SECRET_FOUND where length == 32: .found(Array(bytes.prefix(length)))
        case LANYARD_SECRET_MISSING: .missing
        default: .unavailable
        }
    }

    func write(_ key: SymmetricKey, _ folder: ExtensionFolder) -> Bool {
        key.withUnsafeBytes { bytes in
            lanyard_secret_write(
                application, purpose(folder), "Single sign-on (Lanyard)", bytes.baseAddress, bytes.count)
        } == LANYARD_SECRET_FOUND
    }
}
