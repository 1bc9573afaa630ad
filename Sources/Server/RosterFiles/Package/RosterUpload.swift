import Directory
import Foundation

/// Makes one archive of files that arrive a piece at a time: of a ZIP archive as it is, or of the CSV files. Nothing has a
/// name on the disk, so nothing is left of an upload that stops in the middle.
package final class RosterUpload {
    /// Why a file is not taken.
    package enum Refusal: Error, Equatable {
        /// The file is neither a ZIP archive nor one of those that an import takes, by its name.
        case foreign(name: String)
        /// The file came twice.
        case twice(name: String)
        /// An archive came together with other files.
        case mixed
        /// An archive is larger than it may be.
        case tooLarge(bytesMax: Int)
        /// Nothing came.
        case none
    }

    private let kind: Organization.Kind
    private let bytesMax: Int
    /// The size of an archive that came as it is.
    private var archiveBytes = 0
    private let file: UnsafeMutablePointer<FILE>
    /// Nil until a CSV file comes, and for an archive.
    private var writer: ZipWriter?
    private var isArchive = false
    private var names: Set<String> = []

    /// - Parameters:
    ///   - kind: of the organization, which says what files there are.
    ///   - bytesMax: how large the archive may be.
    package init(of kind: Organization.Kind, bytesMax: Int) throws {
        guard let file = tmpfile() else { throw RosterPackage.failure }
        self.kind = kind
        self.bytesMax = bytesMax
        self.file = file
    }

    deinit {
        writer = nil
        fclose(file)
    }

    /// - Parameter path: what the browser calls the file.
    /// - Throws: ``Refusal``
    package func begin(_ path: String) throws {
        // Some browsers send a path of the person's machine.
        let name = String(path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? "").lowercased()
        guard !isArchive, !(name.hasSuffix(".zip") && !names.isEmpty) else { throw Refusal.mixed }
        if name.hasSuffix(".zip") {
            isArchive = true
            return
        }
        guard let roster = self.roster(named: name) else { throw Refusal.foreign(name: Defect.printable(path)) }
        guard names.insert(roster.name).inserted else { throw Refusal.twice(name: roster.name) }
        let writer = try writer ?? ZipWriter("The archive", level: 1) { [file] bytes in try write(bytes, to: file) }
        self.writer = writer
        try writer.begin(roster.name)
    }

    /// A business has one file, whatever it is called.
    private func roster(named name: String) -> RosterFile? {
        if kind == .business { return name.hasSuffix(".csv") ? .staff : nil }
        return RosterFile(named: name)
    }

    package func append(_ bytes: UnsafeRawBufferPointer) throws {
        if let writer { return try writer.append(bytes) }
        archiveBytes += bytes.count
        guard archiveBytes <= bytesMax else { throw Refusal.tooLarge(bytesMax: bytesMax) }
        try write(bytes, to: file)
    }

    package func end() throws { try writer?.end() }

    /// - Throws: ``Refusal/none``
    package func finish() throws -> RosterPackage {
        guard isArchive || !names.isEmpty else { throw Refusal.none }
        try writer?.close()
        let package = try RosterPackage(taking: file)
        guard package.bytes <= bytesMax else { throw Refusal.tooLarge(bytesMax: bytesMax) }
        return package
    }
}

private func write(_ bytes: UnsafeRawBufferPointer, to file: UnsafeMutablePointer<FILE>) throws {
    guard fwrite(bytes.baseAddress, 1, bytes.count, file) == bytes.count else { throw RosterPackage.failure }
}
