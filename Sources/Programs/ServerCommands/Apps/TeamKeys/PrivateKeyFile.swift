import CommandOutput
import Crypto
import Foundation

/// The file for a new private key, which is its only copy.
struct PrivateKeyFile: Sendable {
    let path: String

    /// Writes the key as PKCS #8 in PEM, into a file that is created readable only for its owner.
    /// - Throws: ``Failure`` if the file already exists, or cannot be written.
    func write(_ key: P256.Signing.PrivateKey) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard file >= 0 else {
            throw Failure(
                errno == EEXIST
                    ? "The file \(path) is there already, and may hold another key. Name a new file with --out."
                    : "The file \(path) cannot be written: \(String(cString: strerror(errno))).")
        }
        defer { close(file) }
        let text = Array((key.pemRepresentation + "\n").utf8)
        guard Foundation.write(file, text, text.count) == text.count, fsync(file) == 0 else {
            let reason = String(cString: strerror(errno))
            delete()
            throw Failure("The file \(path) cannot be written: \(reason). Nothing was registered.")
        }
    }

    func delete() { unlink(path) }
}
