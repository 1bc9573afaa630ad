import Directory
import Foundation

/// The six files in one ZIP archive, as they are kept and sent. It is a file without a name: nobody else can open it, and
/// it is gone as soon as this object is.
package final class RosterPackage: Sendable {
    /// The size of the archive in bytes.
    package let bytes: Int
    private let descriptor: Int32

    /// A path by which this process can open it.
    package var path: String { "/proc/self/fd/\(descriptor)" }

    /// - Parameter write: hands the archive to the sink that it is given, a piece at a time.
    private convenience init(_ write: (@escaping ByteSink) throws -> Void) throws {
        guard let file = tmpfile() else { throw Self.failure }
        defer { fclose(file) }
        try write { bytes in
            guard fwrite(bytes.baseAddress, 1, bytes.count, file) == bytes.count else { throw Self.failure }
        }
        try self.init(taking: file)
    }

    deinit {
        close(descriptor)
    }

    static var failure: RosterImportError {
        .cannotWrite(path: "A temporary file", reason: String(cString: strerror(errno)))
    }

    /// Takes over what was written into a file without a name.
    init(taking file: UnsafeMutablePointer<FILE>) throws {
        guard fflush(file) == 0 else { throw Self.failure }
        let size = ftell(file)
        // A descriptor of its own, which is not passed on to other programs.
        descriptor = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0)
        guard size >= 0, descriptor >= 0 else { throw Self.failure }
        bytes = size
    }

    /// - Parameter archive: a ZIP archive. Whether it is one, its reader finds out.
    package convenience init(_ archive: Data) throws {
        try self.init { sink in try archive.withUnsafeBytes { try sink($0) } }
    }

    /// Puts together what was kept in parts.
    /// - Parameter next: the next part; nil after the last one.
    package convenience init(parts next: () throws -> Data?) throws {
        try self.init { sink in
            while let part = try next() { try part.withUnsafeBytes { try sink($0) } }
        }
    }

    /// Copies an archive, or packs the six files of a folder.
    /// - Throws: ``RosterImportError/unreadable(_:)``, with what is wrong with the place
    package convenience init(at path: String) throws {
        let defects = DefectLog()
        // What is wrong with the files in it, their reader reports.
        // A single file is a business's, whatever it is called.
        let kind: Organization.Kind = path.lowercased().hasSuffix(".csv") ? .business : .school
        guard let source = RosterSource.open(at: path, for: kind, defects: defects) else {
            throw RosterImportError.unreadable(defects.kept)
        }
        do {
            try self.init(source, of: kind)
        } catch let error as UnreadableFile {
            throw RosterImportError.unreadable([
                Defect(error.code, in: (path as NSString).lastPathComponent, error.message, remedy: error.remedy)
            ])
        }
    }

    /// - Parameters:
    ///   - kind: of the organization, which says what files there are.
    ///   - digest: that of the files when they were read, see ``RosterDigest``; nil to take them as they are.
    /// - Throws: ``UnreadableFile``, also if they are others by now
    convenience init(_ source: RosterSource, of kind: Organization.Kind = .school, digest: String? = nil) throws {
        try self.init { try source.pack(to: $0, of: kind, digest) }
    }

    /// Up to `bytesMax` bytes from `offset` on; fewer at the end.
    package func part(at offset: Int, bytesMax: Int) throws -> Data {
        var data = Data(count: max(0, min(bytesMax, bytes - offset)))
        var done = 0
        while done < data.count {
            let count = data.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress! + done, buffer.count - done, off_t(offset + done))
            }
            guard count > 0 else { throw Self.failure }
            done += count
        }
        return data
    }
}
