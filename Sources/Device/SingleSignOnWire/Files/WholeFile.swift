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
    public let errno: Int32

    public var description: String { "\(path) cannot be written: \(String(cString: strerror(errno)))" }
}

/// Writes files that are there whole or not at all.
package enum WholeFile {
    /// Returns when all of it is on the disk.
    /// - Parameters:
    ///   - mode: of the file, whatever the mask for new files is.
    ///   - folderMode: of folders that are missing and made.
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
        // The name is on the disk with its folder.
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

    /// The folder, and those above it that are missing.
    /// - Parameter mode: whatever the mask for new files is; what is there stays as it is.
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
