import CommandOutput
import Foundation

/// Files that are written beside and renamed, and that all come back as they were if something fails later.
final class SettingsFiles {
    private var written: [(path: String, before: Data?)] = []
    /// The owner of files that are new; nil for whoever runs this.
    private let owner: DataOwner?

    init(owner: DataOwner?) { self.owner = owner }

    /// Writes one file, which keeps owner and mode if it exists. A new one is for its owner alone, or, where root writes for a server
    /// with a user of its own, also for reading by that user's group.
    /// - Returns: whether its content is another than before.
    /// - Throws: ``Failure`` if it cannot be written; it is as before then.
    @discardableResult
    func write(_ content: Data, to path: String) throws -> Bool {
        let before = FileManager.default.contents(atPath: path)
        guard before != content else { return false }
        if before == nil, FileManager.default.fileExists(atPath: path) {
            throw Failure("The file \(path) cannot be read.")
        }
        try put(content, at: path)
        written.append((path, before))
        return true
    }

    /// Puts back what was there.
    func restore() {
        for (path, before) in written.reversed() {
            if let before { try? put(before, at: path) } else { unlink(path) }
        }
        written = []
    }

    private func put(_ content: Data, at path: String) throws {
        var status = stat()
        let exists = stat(path, &status) == 0
        let mode = exists ? status.st_mode & 0o777 : owner == nil ? 0o600 : 0o640
        // A link stays one: what it leads to is replaced.
        let target = exists ? URL(fileURLWithPath: path).resolvingSymlinksInPath().path : path
        let new = "\(target).new"
        func refuse() -> Failure {
            let reason = String(cString: strerror(errno))
            unlink(new)
            return Failure("\(path) cannot be written: \(reason). Run this as the user to whom the settings belong.")
        }
        unlink(new)
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw refuse() }
        defer { close(descriptor) }
        guard writeAll(content, to: descriptor) else { throw refuse() }
        if exists, status.st_uid != geteuid() || status.st_gid != getegid() {
            guard fchown(descriptor, status.st_uid, status.st_gid) == 0 else { throw refuse() }
        } else if !exists, let owner {
            guard fchown(descriptor, 0, owner.group) == 0 else { throw refuse() }
        }
        guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0, rename(new, target) == 0 else { throw refuse() }
    }
}

/// The user to whom the data belongs, where root does something for it. What is opened and made as that user belongs to it too, as
/// it would from the server itself.
struct DataOwner {
    let user: uid_t
    let group: gid_t

    /// - Returns: nil unless root runs this, and the folder exists and belongs to somebody else.
    static func of(_ folder: String) -> DataOwner? {
        var status = stat()
        guard geteuid() == 0, stat(folder, &status) == 0, status.st_uid != 0 else { return nil }
        return DataOwner(user: status.st_uid, group: status.st_gid)
    }

    /// Runs `body` as that user. The C library changes the user of all threads.
    static func run<Value>(as owner: DataOwner?, _ body: () async throws -> Value) async throws -> Value {
        guard let owner else { return try await body() }
        guard setegid(owner.group) == 0, seteuid(owner.user) == 0 else {
            throw Failure(
                "This cannot be done as the user to whom the data belongs: \(String(cString: strerror(errno))).")
        }
        defer {
            seteuid(0)
            setegid(0)
        }
        return try await body()
    }
}
