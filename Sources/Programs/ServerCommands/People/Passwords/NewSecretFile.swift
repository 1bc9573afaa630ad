import CommandOutput
import Foundation

/// A new file for secrets, which only its owner can read. It is created empty, before there is anything to write.
struct NewSecretFile: Sendable {
    let path: String

    /// - Throws: ``Failure`` if there is such a file already, or it cannot be created.
    init(_ path: String) throws {
        self.path = path
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard file >= 0 else {
            throw Failure(
                errno == EEXIST
                    ? "The file \(path) is there already, and may hold what somebody still needs. Name a new file."
                    : "The file \(path) cannot be written: \(String(cString: strerror(errno))).")
        }
        close(file)
    }

    /// - Throws: ``Failure`` if it cannot be written.
    func write(_ content: Data) throws {
        let file = open(path, O_WRONLY | O_TRUNC | O_NOFOLLOW)
        defer { if file >= 0 { close(file) } }
        guard file >= 0, writeAll(content, to: file), fsync(file) == 0 else {
            throw Failure("The file \(path) cannot be written: \(String(cString: strerror(errno))).")
        }
    }

    func delete() { unlink(path) }
}
