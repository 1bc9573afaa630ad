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
    /// - Parameter isSecret: whether nobody but its owner and group may read it from now on.
    /// - Returns: whether its content is another than before.
    /// - Throws: ``Failure`` if it cannot be written; it is as before then.
    @discardableResult
    func write(_ content: Data, to path: String, isSecret: Bool = false) throws -> Bool {
        let before = FileManager.default.contents(atPath: path)
        guard before != content else { return false }
        if before == nil, FileManager.default.fileExists(atPath: path) {
            throw Failure("The file \(path) cannot be read.")
        }
        try put(content, at: path, isSecret: isSecret)
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

    /// A user who may write in the folder could make root write into another file, by a link.
    private func refuseForeignLink(_ path: String) throws {
        var link = stat()
        var folder = stat()
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard geteuid() == 0, lstat(path, &link) == 0, link.st_mode & S_IFMT == S_IFLNK, stat(parent, &folder) == 0,
            folder.st_uid != 0
        else { return }
        throw Failure(
            "\(path) is a link in a folder that is not root's, so root does not write there. Replace it by the file.")
    }

    private func put(_ content: Data, at path: String, isSecret: Bool = false) throws {
        var status = stat()
        let exists = stat(path, &status) == 0
        try refuseForeignLink(path)
        var mode = exists ? status.st_mode & 0o777 : owner == nil ? 0o600 : 0o640
        if isSecret { mode &= ~0o007 }
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
    private let name: String
    private let home: String

    /// - Returns: nil unless root runs this, and the folder exists and belongs to somebody else.
    static func of(_ folder: String) -> DataOwner? {
        var status = stat()
        guard geteuid() == 0, stat(folder, &status) == 0, status.st_uid != 0, let entry = getpwuid(status.st_uid)
        else { return nil }
        return DataOwner(
            user: status.st_uid, group: status.st_gid, name: String(cString: entry.pointee.pw_name),
            home: String(cString: entry.pointee.pw_dir))
    }

    /// Runs `body` as that user, with that user's groups and home folder: what root alone may read must not count here, and the library
    /// for PostgreSQL gives TLS up where it may not look for a certificate in `HOME`. The C library changes all threads.
    static func run<Value>(as owner: DataOwner?, _ body: () async throws -> Value) async throws -> Value {
        guard let owner else { return try await body() }
        var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        let count = max(0, Int(getgroups(Int32(groups.count), &groups)))
        let home = getenv("HOME").map { String(cString: $0) }
        defer {
            seteuid(0)
            setegid(0)
            setgroups(count, groups)
            if let home { setenv("HOME", home, 1) } else { unsetenv("HOME") }
        }
        guard initgroups(owner.name, owner.group) == 0, setegid(owner.group) == 0, seteuid(owner.user) == 0 else {
            throw Failure(
                "This cannot be done as the user to whom the data belongs: \(String(cString: strerror(errno))).")
        }
        setenv("HOME", owner.home, 1)
        return try await body()
    }
}
