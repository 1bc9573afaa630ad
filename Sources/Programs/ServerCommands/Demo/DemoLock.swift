import CommandOutput
import Foundation

/// Makes sure that only one demo runs in a folder: a second one, on other ports, would replace the first one's return
/// URLs.
///
/// The system releases the lock when the process ends, even if it crashes.
struct DemoLock {
    private let descriptor: Int32

    /// - Throws: ``Failure`` if a demo is running in the folder.
    init(folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        descriptor = open("\(folder)/demo.lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("\(folder)/demo.lock cannot be written.") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw Failure(
                "A demo is running in \(folder) already; \(folder)/demo.json says where. For another one beside it, name "
                    + "another --folder.")
        }
    }

    func release() {
        close(descriptor)
    }
}
