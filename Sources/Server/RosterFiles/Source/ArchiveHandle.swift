import CArchive
import Glibc

/// Reads the entries of a ZIP archive once, in their order in the archive.
final class ArchiveHandle {
    let identity: FileIdentity
    private let handle: OpaquePointer
    private let descriptor: Int32

    /// - Throws: ``UnreadableFile``
    init(path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0, let identity = FileIdentity(descriptor: descriptor) else {
            throw Self.failure(String(cString: strerror(errno)))
        }
        guard let handle = archive_read_new() else { fatalError("out of memory") }
        self.identity = identity
        self.handle = handle
        self.descriptor = descriptor
        // Use the directory at the end of the archive, as other programs do. Scanning for headers could find other
        // files than they do.
        archive_read_support_format_zip_seekable(handle)
        guard archive_read_open_fd(handle, descriptor, 64 * 1_024) == ARCHIVE_OK else {
            throw Self.failure(handle)
        }
    }

    deinit {
        archive_read_free(handle)
        close(descriptor)
    }

    /// Moves to the next entry; nil after the last one.
    func next() throws -> ArchiveEntry? {
        var entry: OpaquePointer?
        switch archive_read_next_header(handle, &entry) {
        case ARCHIVE_EOF: return nil
        case ARCHIVE_OK, ARCHIVE_WARN:  // a warning concerns what is not looked at: times, names in odd encodings
            guard let entry else { return nil }
            return ArchiveEntry(entry)
        default: throw Self.failure(handle)
        }
    }

    /// Reads from the entry that ``next()`` returned last. A wrong checksum or size is an error at the end of the
    /// entry.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = archive_read_data(handle, buffer.baseAddress, buffer.count)
        guard count >= 0 else { throw Self.failure(handle) }
        return count
    }

    private static func failure(_ handle: OpaquePointer) -> UnreadableFile {
        failure(archive_error_string(handle).map { String(cString: $0) } ?? "unknown reason")
    }

    private static func failure(_ reason: String) -> UnreadableFile {
        UnreadableFile(
            code: .unreadableArchive, message: "The ZIP archive cannot be read: \(reason).",
            remedy: """
                Name a folder or a ZIP archive that holds the six CSV files. If it is one, make it again as a plain ZIP \
                file, and transfer it in binary mode.
                """)
    }
}

/// What the archive claims about one of its entries.
struct ArchiveEntry {
    enum Kind {
        case file
        case folder
        /// A link, a device or the like.
        case other
    }

    let path: String
    let kind: Kind
    let isEncrypted: Bool
    /// Claimed size in bytes; 0 if the archive does not say.
    let size: Int

    init(_ entry: OpaquePointer) {
        path = archive_entry_pathname(entry).map { String(cString: $0) } ?? ""
        isEncrypted = archive_entry_is_encrypted(entry) != 0
        size = max(0, Int(archive_entry_size(entry)))
        let isLink = archive_entry_symlink(entry) != nil || archive_entry_hardlink(entry) != nil
        switch UInt32(archive_entry_filetype(entry)) {
        case 0o100000 where !isLink: kind = .file  // AE_IFREG
        case 0o040000: kind = .folder  // AE_IFDIR
        default: kind = .other
        }
    }
}
