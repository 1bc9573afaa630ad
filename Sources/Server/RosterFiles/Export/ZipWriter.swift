import CArchive
import Foundation

/// Writes a ZIP archive from front to back, by libarchive.
final class ZipWriter {
    /// What libarchive calls: it can hold no Swift closure.
    private final class Output {
        let sink: ByteSink
        /// Why the last piece could not be written.
        var failure: (any Error)?

        init(_ sink: @escaping ByteSink) { self.sink = sink }
    }

    private let archive: OpaquePointer
    private let output: Output
    private let path: String

    /// - Parameters:
    ///   - path: what the archive is called in errors.
    ///   - level: how hard to compress, from 1 to 9; nil for libarchive's own choice.
    ///   - sink: gets the archive, a piece at a time.
    init(_ path: String, level: Int? = nil, _ sink: @escaping ByteSink) throws {
        guard let archive = archive_write_new() else { fatalError("out of memory") }
        self.archive = archive
        self.path = path
        output = Output(sink)
        try check(archive_write_set_format_zip(archive))
        if let level {
            try check(archive_write_set_format_option(archive, "zip", "compression-level", String(level)))
        }
        // By default libarchive pads the last block with zeros.
        try check(archive_write_set_bytes_in_last_block(archive, 1))
        try check(
            archive_write_open(
                archive, Unmanaged.passUnretained(output).toOpaque(), nil,
                { _, context, bytes, count in
                    guard let context, let bytes else { return -1 }
                    let output = Unmanaged<Output>.fromOpaque(context).takeUnretainedValue()
                    do {
                        try output.sink(UnsafeRawBufferPointer(start: bytes, count: count))
                        return count
                    } catch {
                        output.failure = error
                        return -1
                    }
                }, nil))
    }

    deinit {
        archive_write_free(archive)
    }

    /// Adds a file.
    /// - Parameter body: hands over its bytes to the sink that it is given.
    /// - Returns: what `body` returns.
    func write<Value>(_ name: String, _ body: (@escaping ByteSink) throws -> Value) throws -> Value {
        try begin(name)
        let value = try body { try self.append($0) }
        try end()
        return value
    }

    /// Begins a file, to which the bytes that follow belong until ``end()``.
    func begin(_ name: String) throws {
        let entry = archive_entry_new()
        defer { archive_entry_free(entry) }
        archive_entry_set_pathname(entry, name)
        archive_entry_set_filetype(entry, 0o100000)  // AE_IFREG
        archive_entry_set_perm(entry, 0o600)
        // The size is not known yet; it follows the data.
        try check(archive_write_header(archive, entry))
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        guard archive_write_data(archive, bytes.baseAddress, bytes.count) == bytes.count else { throw failure }
    }

    /// Ends the file.
    func end() throws { try check(archive_write_finish_entry(archive)) }

    func close() throws { try check(archive_write_close(archive)) }

    private func check(_ result: Int32) throws {
        guard result == ARCHIVE_OK else { throw failure }
    }

    private var failure: any Error {
        if let failure = output.failure { return failure }
        let reason = archive_error_string(archive).map { String(cString: $0) } ?? "unknown reason"
        return RosterImportError.cannotWrite(path: path, reason: reason)
    }
}
