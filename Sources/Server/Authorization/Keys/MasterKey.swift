import Crypto
import Directory
import Foundation
import Ground

/// The key that seals every other key of the server. It is in a file outside of the database, readable by the server's
/// user only, so that a copy of the database is useless without it.
package struct MasterKey: Sendable {
    private let key: SymmetricKey

    package enum Problem: Error, Equatable, CustomStringConvertible {
        case missing(path: String)
        case unreadable(path: String, reason: String)
        case readableByOthers(path: String)
        case malformed(path: String)
        /// The stored values were sealed under another key.
        case doesNotFit
        /// As ``doesNotFit``, for the key in a file.
        case foreign(path: String)

        package var description: String {
            switch self {
            case .missing(let path):
                """
                There is no master key \(path). Restore it from your backup, or say with --master-key where it is. \
                Only `lanyard init` and the server itself make one, and only for a database that holds no keys yet.
                """
            case .unreadable(let path, let reason): "The master key \(path) cannot be read: \(reason)."
            case .readableByOthers(let path):
                "The master key \(path) can be read by other users. Run `chmod 600 \(path)`, and think about who has seen it."
            case .malformed(let path):
                "\(path) is no master key: it must hold 32 bytes in base64. Restore it from your backup."
            case .doesNotFit:
                "The master key does not fit this database. Restore the key file that belongs to it from your backup."
            case .foreign(let path):
                """
                The master key \(path) does not fit this database. Restore the key file that belongs to it from your \
                backup, or say with --master-key where it is.
                """
            }
        }
    }

    package init(bytes: [UInt8]) { key = SymmetricKey(data: bytes) }

    /// A key that follows from this one, for a purpose of its own.
    package func key(for purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data(purpose.utf8), outputByteCount: 32)
    }

    /// Reads the key file, or makes it if there is none.
    /// - Throws: ``Problem``
    package static func load(path: String, surroundings: Surroundings) throws -> MasterKey {
        let manager = FileManager.default
        if !manager.fileExists(atPath: path) {
            let bytes = surroundings.randomBytes(32)
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            do {
                try manager.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch {
                throw Problem.unreadable(path: path, reason: error.localizedDescription)
            }
            if try create(path, Array((Data(bytes).base64EncodedString() + "\n").utf8)) {
                return MasterKey(bytes: bytes)
            }
        }
        return try read(path: path)
    }

    /// Reads the key file; does not make one.
    /// - Throws: ``Problem``
    package static func read(path: String) throws -> MasterKey {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw errno == ENOENT
                ? Problem.missing(path: path)
                : Problem.unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Problem.unreadable(path: path, reason: "it is no file")
        }
        let others: mode_t = isCredential(path) ? 0o037 : 0o077
        guard status.st_mode & others == 0 else { throw Problem.readableByOthers(path: path) }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Problem.unreadable(path: path, reason: "permission denied")
        }
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let bytes = Data(base64Encoded: text), bytes.count == 32 else { throw Problem.malformed(path: path) }
        return MasterKey(bytes: Array(bytes))
    }

    /// Writes a new file completely and durably, or not at all. It is readable by its owner only, from the first byte
    /// on.
    /// - Returns: false if the file exists by now.
    private static func create(_ path: String, _ text: [UInt8]) throws -> Bool {
        func failure() -> Problem { .unreadable(path: path, reason: String(cString: strerror(errno))) }
        let draft = "\(path).\(UUID())"
        let file = Foundation.open(draft, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard file >= 0 else { throw failure() }
        defer { unlink(draft) }
        let isWritten = write(file, text, text.count) == text.count && fsync(file) == 0
        close(file)
        guard isWritten else { throw failure() }
        guard link(draft, path) == 0 else {
            guard errno == EEXIST else { throw failure() }
            return false
        }
        // The file's name is durable only after the folder is synced, and nothing may be sealed under the key before
        // that.
        let folder = Foundation.open(
            URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY)
        guard folder >= 0 else { throw failure() }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw failure() }
        return true
    }

    /// Seals with AES-GCM. `purpose` is authenticated, so that one sealed value cannot replace another.
    package func seal(_ bytes: some DataProtocol, for purpose: String) throws -> [UInt8] {
        let box = try AES.GCM.seal(Data(bytes), using: key, authenticating: Data(purpose.utf8))
        return Array(box.combined!)  // nil only for nonces of another length than the default
    }

    /// - Throws: ``Problem/doesNotFit``
    package func open(_ sealed: [UInt8], for purpose: String) throws -> [UInt8] {
        do {
            return Array(
                try AES.GCM.open(.init(combined: sealed), using: key, authenticating: Data(purpose.utf8)))
        } catch {
            throw Problem.doesNotFit
        }
    }
}
