#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#endif

/// A file or a folder could not be written.
public struct CannotWriteFile: Error, CustomStringConvertible {
    public let path: String
    /// The system's error number.
    public let errno: Int32

    public var description: String { "\(path) cannot be written: \(String(cString: strerror(errno)))" }
}

/// Writes files atomically: the whole file appears or nothing.
package enum WholeFile {
    /// Writes the file, and returns when it is on the disk.
    /// - Parameters:
    ///   - mode: the mode of the file, regardless of the umask.
    ///   - folderMode: the mode of missing folders that are created.
    package static func write(
        _ data: Data, to path: String, mode: mode_t, folderMode: mode_t
    ) throws(CannotWriteFile) {
        let folder = path.parentFolder ?? "."
        try makeFolders(folder, mode: folderMode)
        let draft = "\(folder)/.draft-\(getpid())-\(UInt64.random(in: .min ... .max))"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw CannotWriteFile(path: path, errno: errno) }
        let isWritten =
            fchmod(descriptor, mode) == 0 && write(data, to: descriptor) && fsync(descriptor) == 0
            && rename(draft, path) == 0
        let reason = errno
        close(descriptor)
        guard isWritten else {
            unlink(draft)
            throw CannotWriteFile(path: path, errno: reason)
        }
        // The folder must be synchronized too, for the name to be on the disk.
        let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { return }
        fsync(opened)
        close(opened)
    }

    private static func write(_ data: Data, to descriptor: Int32) -> Bool {
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// Creates the folder and missing folders above it.
    /// - Parameter mode: the mode of new folders, regardless of the umask. Existing folders are not changed.
    package static func makeFolders(_ path: String, mode: mode_t) throws(CannotWriteFile) {
        if makeFolder(path, mode) || errno == EEXIST { return }
        if errno == ENOENT, let parent = path.parentFolder {
            try makeFolders(parent, mode: mode)
            if makeFolder(path, mode) || errno == EEXIST { return }
        }
        throw CannotWriteFile(path: path, errno: errno)
    }

    private static func makeFolder(_ path: String, _ mode: mode_t) -> Bool {
        guard mkdir(path, mode) == 0 else { return false }
        let made = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard made >= 0 else { return false }
        defer { close(made) }
        return fchmod(made, mode) == 0
    }
}
