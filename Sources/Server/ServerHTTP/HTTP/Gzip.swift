import CArchive

/// The content coding `gzip` (RFC 9110 §8.4.1.3), by libarchive.
enum Gzip {
    /// Equal bytes become equal bytes: no time is written.
    /// - Returns: nil if that is no shorter.
    static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        guard let archive = archive_write_new(), let entry = archive_entry_new() else { fatalError("out of memory") }
        defer {
            archive_entry_free(entry)
            archive_write_free(archive)
        }
        archive_entry_set_filetype(entry, 0o100000)  // AE_IFREG
        let result = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
            // libarchive counts what it has written until it is closed. Where the buffer is full, it fails.
            withUnsafeMutablePointer(to: &count) { written in
                let isWritten =
                    archive_write_set_format_raw(archive) == ARCHIVE_OK
                    && archive_write_add_filter_gzip(archive) == ARCHIVE_OK
                    && archive_write_set_filter_option(archive, "gzip", "compression-level", "9") == ARCHIVE_OK
                    && archive_write_set_filter_option(archive, "gzip", "timestamp", nil) == ARCHIVE_OK
                    && archive_write_open_memory(archive, buffer.baseAddress, buffer.count, written) == ARCHIVE_OK
                    && archive_write_header(archive, entry) == ARCHIVE_OK
                    && archive_write_data(archive, bytes, bytes.count) == bytes.count
                    && archive_write_close(archive) == ARCHIVE_OK
                if !isWritten { written.pointee = 0 }
            }
        }
        return result.isEmpty || result.count == bytes.count ? nil : result
    }
}
