import Foundation

/// A file that appears under its name only when it is complete. Only its owner can read it, from the first byte on.
final class PendingFile {
    let path: String
    private let partialPath: String
    private let stream: UnsafeMutablePointer<FILE>
    private var isClosed = false

    init(_ path: String) throws {
        self.path = path
        // The random name cannot have been prepared by somebody else as a link or a pipe; the mode is 0600.
        var name = Array("\(path).partial-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw Self.failure(path) }
        partialPath = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let stream = fdopen(descriptor, "wb") else {
            let failure = Self.failure(path)
            Foundation.close(descriptor)
            unlink(partialPath)
            throw failure
        }
        self.stream = stream
    }

    deinit {
        if !isClosed { fclose(stream) }
        unlink(partialPath)  // not there any more if it was published
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard fwrite(bytes.baseAddress, 1, bytes.count, stream) == bytes.count else { throw Self.failure(path) }
    }

    /// Closes the file after its bytes have reached the disk.
    func close() throws {
        guard fflush(stream) == 0, fsync(fileno(stream)) == 0 else { throw Self.failure(path) }
        isClosed = true
        guard fclose(stream) == 0 else { throw Self.failure(path) }
    }

    func publish() throws {
        guard rename(partialPath, path) == 0 else { throw Self.failure(path) }
    }

    static func failure(_ path: String) -> RosterImportError {
        .cannotWrite(path: path, reason: String(cString: strerror(errno)))
    }
}
