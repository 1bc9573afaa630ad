import Foundation

/// A file that becomes visible under its name once it is complete.
final class PendingFile {
    let path: String
    private let partialPath: String
    private let stream: UnsafeMutablePointer<FILE>
    private var isClosed = false

    init(_ path: String) throws {
        self.path = path
        partialPath = path + ".partial"
        guard let stream = fopen(partialPath, "wb") else { throw Self.failure(path) }
        self.stream = stream
    }

    deinit {
        if !isClosed { fclose(stream) }
        unlink(partialPath)  // not there any more if it was finished
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard fwrite(bytes.baseAddress, 1, bytes.count, stream) == bytes.count else { throw Self.failure(path) }
    }

    func close() throws {
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
