import BrowserExtension
import CArchive
import Foundation

/// A ZIP archive in memory; the same files give the same bytes.
enum ZipArchive {
    private final class Sink {
        var data = Data()
    }

    static func data(of files: [BrowserExtension.File]) throws -> Data {
        guard let archive = archive_write_new() else { fatalError("out of memory") }
        defer { archive_write_free(archive) }
        func check(_ result: Int32) throws {
            guard result == ARCHIVE_OK else {
                let reason = archive_error_string(archive).map { String(cString: $0) } ?? "unknown reason"
                throw Failure("The extension cannot be packed: \(reason).")
            }
        }
        let sink = Sink()
        try check(archive_write_set_format_zip(archive))
        // Unless told otherwise libarchive fills the last block up with zeros.
        try check(archive_write_set_bytes_in_last_block(archive, 1))
        try check(
            archive_write_open(
                archive, Unmanaged.passUnretained(sink).toOpaque(), nil,
                { _, context, bytes, count in
                    guard let context, let bytes else { return -1 }
                    Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue().data.append(
                        bytes.assumingMemoryBound(to: UInt8.self), count: count)
                    return count
                }, nil))
        for file in files {
            let entry = archive_entry_new()
            defer { archive_entry_free(entry) }
            archive_entry_set_pathname(entry, file.path)
            archive_entry_set_filetype(entry, 0o100000)  // AE_IFREG
            archive_entry_set_perm(entry, 0o644)
            archive_entry_set_size(entry, Int64(file.content.count))
            // 1 January 1980, where the format's time begins.
            archive_entry_set_mtime(entry, 315_532_800, 0)
            try check(archive_write_header(archive, entry))
            let count = file.content.withUnsafeBytes { archive_write_data(archive, $0.baseAddress, $0.count) }
            guard count == file.content.count else {
                throw Failure("The extension cannot be packed: \(file.path) was cut off.")
            }
            try check(archive_write_finish_entry(archive))
        }
        try check(archive_write_close(archive))
        return withExtendedLifetime(sink) { sink.data }
    }
}
