import CArchive
import Foundation

/// A ZIP archive, written by libarchive straight to its file.
final class ZipDestination: RosterDestination {
    private let file: PendingFile
    private let archive: OpaquePointer

    init(_ path: String) throws {
        file = try PendingFile(path)
        guard let archive = archive_write_new() else { fatalError("out of memory") }
        self.archive = archive
        try check(archive_write_set_format_zip(archive))
        // By default libarchive pads the last block with zeros.
        try check(archive_write_set_bytes_in_last_block(archive, 1))
        let context = Unmanaged.passUnretained(file).toOpaque()
        try check(
            archive_write_open(
                archive, context, nil,
                { _, context, bytes, count in
                    guard let context, let bytes else { return -1 }
                    let file = Unmanaged<PendingFile>.fromOpaque(context).takeUnretainedValue()
                    do {
                        try file.write(UnsafeRawBufferPointer(start: bytes, count: count))
                        return count
                    } catch {
                        return -1
                    }
                }, nil))
    }

    deinit {
        archive_write_free(archive)
    }

    func write(_ name: String, _ body: (@escaping ByteSink) throws -> Int) throws -> Int {
        let entry = archive_entry_new()
        defer { archive_entry_free(entry) }
        archive_entry_set_pathname(entry, name)
        archive_entry_set_filetype(entry, 0o100000)  // AE_IFREG
        archive_entry_set_perm(entry, 0o600)
        // The size is not known yet; it follows the data.
        try check(archive_write_header(archive, entry))
        let rows = try body { bytes in
            guard archive_write_data(self.archive, bytes.baseAddress, bytes.count) == bytes.count else {
                throw self.failure()
            }
        }
        try check(archive_write_finish_entry(archive))
        return rows
    }

    func complete() throws {
        try check(archive_write_close(archive))
        try file.close()
    }

    func publish() throws { try file.publish() }

    private func check(_ result: Int32) throws {
        guard result == ARCHIVE_OK else { throw failure() }
    }

    private func failure() -> RosterImportError {
        let reason = archive_error_string(archive).map { String(cString: $0) } ?? "unknown reason"
        return .cannotWrite(path: file.path, reason: reason)
    }
}
