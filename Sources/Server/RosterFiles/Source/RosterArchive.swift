import Directory
import Foundation

/// A ZIP archive with the six files at its top level. Nothing is unpacked to disk.
package struct RosterArchive {
    /// Claimed sizes in bytes of the files that are present.
    let sizes: [RosterFile: Int]
    private let files: RosterImporter.Files
    private let identity: FileIdentity
    private let meter: ArchiveMeter

    init?(
        _ files: RosterImporter.Files, for kind: Organization.Kind, limits: ArchiveLimits, defects: DefectLog
    ) {
        self.files = files
        let (path, name) = (files.path, files.name)
        var listing = ArchiveListing(archiveName: name, kind: kind, defects: defects)
        do {
            let handle = try ArchiveHandle(path: path)
            identity = handle.identity
            meter = ArchiveMeter(limits: limits, archiveBytes: identity.bytes)
            while let entry = try handle.next() {
                guard listing.entryCount < limits.entriesMax else {
                    defects.report(
                        .archiveTooLarge, in: name, "The archive has more than \(limits.entriesMax) entries.",
                        remedy: "Make an archive of the six files only.")
                    return nil
                }
                listing.add(entry)
            }
        } catch let error as UnreadableFile {
            defects.report(error.code, in: name, error.message, remedy: error.remedy)
            return nil
        } catch {
            return nil  // not reached: ArchiveHandle throws UnreadableFile only
        }
        listing.finish()
        sizes = listing.sizes
    }

    /// The first bytes of files that may be in another format, by name, also inside folders. Empty if the archive
    /// cannot be read; the next read reports that.
    static func foreignHeads(in path: String, _ limits: ArchiveLimits) -> [String: [UInt8]] {
        var heads: [String: [UInt8]] = [:]
        guard let handle = try? ArchiveHandle(path: path) else { return heads }
        var entries = 0
        while entries < limits.entriesMax, let entry = try? handle.next() {
            entries += 1
            let name = (entry.path as NSString).lastPathComponent
            guard entry.kind == .file, ForeignFormat.hasMarks(name), heads[name] == nil else { continue }
            heads[name] = try? ArchiveStream(
                handle, meter: ArchiveMeter(limits: limits, archiveBytes: handle.identity.bytes)
            ).head(bytesMax: ForeignFormat.headBytesMax)
        }
        return heads
    }

    /// Opens the archive again and moves to the file, so that the six can be read in any order.
    func stream(_ file: RosterFile) throws -> (any ByteStream)? {
        guard sizes[file] != nil else { return nil }
        let handle = try ArchiveHandle(path: files.path)
        if handle.identity == identity {
            while let entry = try handle.next() {
                if entry.path == file.name, entry.kind == .file { return ArchiveStream(handle, meter: meter) }
            }
        }
        throw hasChanged
    }

    /// Hands over the archive as it is, a piece at a time.
    /// - Throws: ``UnreadableFile``, also if it is not the one any more from which the files were read
    func copy(to sink: ByteSink) throws {
        let descriptor = open(files.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        defer { close(descriptor) }
        func isUnchanged() -> Bool { FileIdentity(descriptor: descriptor) == identity }
        guard isUnchanged() else { throw hasChanged }
        try FileStream(reading: descriptor).forEachPiece(sink)
        guard isUnchanged() else { throw hasChanged }
    }

    /// The archive was replaced meanwhile: files of two archives must not be mixed.
    private var hasChanged: UnreadableFile {
        UnreadableFile(
            code: .unreadableArchive, message: "The archive has changed while it was read.",
            remedy: "Import it again when nobody writes to it any more.")
    }
}

/// The bytes of one entry.
final class ArchiveStream: ByteStream {
    private let handle: ArchiveHandle
    private let meter: ArchiveMeter

    init(_ handle: ArchiveHandle, meter: ArchiveMeter) {
        self.handle = handle
        self.meter = meter
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try handle.read(into: buffer)
        try meter.count(count)
        return count
    }
}
