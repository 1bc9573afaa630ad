import Foundation

/// Holds a SQLite file so that no process can read or write it, whatever is in it; for putting another file in its place.
///
/// It is the lock that SQLite itself takes to write a file. A connection in WAL mode, as all of Lanyard's are, shares it from its
/// first read until it is closed, so that whoever gets it whole knows that nobody has the database open. The kernel releases
/// it when the process ends. See “File Locking And Concurrency In SQLite Version 3” on sqlite.org, and `F_OFD_SETLK` in fcntl(2).
package final class SQLiteFileLock {
    package let path: String
    private let descriptor: Int32
    private var isHeld = true

    /// The bytes that SQLite locks: `PENDING_BYTE`, `RESERVED_BYTE`, and 510 of `SHARED_FIRST`.
    private static let bytes: (first: Int, count: Int) = (0x4000_0000, 512)
    /// `F_OFD_SETLK`, which Swift does not import. Such a lock belongs to this descriptor: it also keeps out SQLite in this process,
    /// and is not lost when the process closes another descriptor of the file.
    private static let setLock: Int32 = 37

    /// - Returns: nil if another process, or a connection of this one, has the database open.
    /// - Throws: ``DatabaseError/unavailable(_:)`` if there is no such file, or it may not be written.
    package init?(path: String) throws {
        self.path = path
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            isHeld = false
            throw Self.failure(path)
        }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(Self.bytes.first)
        lock.l_len = off_t(Self.bytes.count)
        if fcntl(descriptor, Self.setLock, &lock) != 0 {
            guard errno == EAGAIN || errno == EACCES else { throw Self.failure(path) }
            return nil
        }
    }

    deinit { release() }

    /// Lets others open the file. Nothing else can be done with the lock afterwards.
    package func release() {
        if isHeld { close(descriptor) }
        isHeld = false
    }

    /// What SQLite can have left beside a file, with content that is not in it yet.
    private static let journals = ["-wal", "-journal"]

    /// Copies the file, and what SQLite has left beside it, so that the copy can be opened as the database was.
    /// - Parameter copy: the path of a new file, whose neighbors get the same endings.
    package func copy(to copy: String) throws {
        for ending in [""] + Self.journals where FileManager.default.fileExists(atPath: path + ending) {
            try FileManager.default.copyItem(atPath: path + ending, toPath: copy + ending)
            try syncFile(copy + ending)
        }
        try syncFolder(of: copy)
    }

    /// Puts `replacement` in place. At each moment there is either the old database or the new one.
    package func replace(by replacement: String) throws {
        // SQLite would take them for those of the new file.
        for ending in Self.journals + ["-shm"] { unlink(path + ending) }
        guard rename(replacement, path) == 0 else { throw Self.failure(path) }
        try syncFolder(of: path)
        // A process that opened the old file a moment ago waits for this lock. It finds no database then, and not the old one,
        // which it would go on to use with the new one's journal.
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, "replaced", 8, 0)
    }

    private static func failure(_ path: String) -> DatabaseError {
        .unavailable("\(path): \(String(cString: strerror(errno)))")
    }
}

/// Waits until a file's content is on the disk.
/// - Throws: ``DatabaseError/unavailable(_:)``
package func syncFile(_ path: String) throws { try sync(path, O_RDONLY) }

/// Waits until the names in a file's folder are on the disk.
/// - Throws: ``DatabaseError/unavailable(_:)``
package func syncFolder(of path: String) throws {
    try sync(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY)
}

private func sync(_ path: String, _ flags: Int32) throws {
    let descriptor = open(path, flags | O_CLOEXEC)
    defer { if descriptor >= 0 { close(descriptor) } }
    guard descriptor >= 0, fsync(descriptor) == 0 else {
        throw DatabaseError.unavailable("\(path): \(String(cString: strerror(errno)))")
    }
}
