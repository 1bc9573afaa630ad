import Directory
import Foundation

/// The files of an exchange: a folder, a ZIP archive, or a single file.
package enum RosterSource {
    case folder(RosterFolder)
    case archive(RosterArchive)
    case file(SingleRosterFile)

    /// Looks at what lies at `path` and reports what is missing or out of place.
    /// - Parameter kind: of the organization, which says what files there must be.
    /// - Returns: nil if nothing can be read from it.
    package static func open(
        at path: String, for kind: Organization.Kind = .school, limits: ArchiveLimits = ArchiveLimits(),
        defects: DefectLog
    ) -> RosterSource? {
        open(RosterImporter.Files(at: path), for: kind, limits: limits, defects: defects)
    }

    /// The same as ``open(at:for:limits:defects:)``, for files that may be called otherwise than their path.
    static func open(
        _ files: RosterImporter.Files, for kind: Organization.Kind = .school, limits: ArchiveLimits = ArchiveLimits(),
        defects: DefectLog
    ) -> RosterSource? {
        let (path, name) = (files.path, files.name)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            defects.report(
                .unreadableArchive, in: name, "There is no such file or folder.",
                remedy: "Check the path: \(path)")
            return nil
        }
        let heads =
            isFolder.boolValue ? RosterFolder.foreignHeads(in: path) : RosterArchive.foreignHeads(in: path, limits)
        if let format = ForeignFormat(heads) {
            format.report(in: name, to: defects)
            return nil
        }
        if isFolder.boolValue { return RosterFolder(path: path, for: kind, defects: defects).map(RosterSource.folder) }
        if let single = SingleRosterFile(path: path, for: kind) {
            reportMissing(besides: [single.file], others: [], for: kind, defects: defects)
            return .file(single)
        }
        return RosterArchive(files, for: kind, limits: limits, defects: defects).map(RosterSource.archive)
    }

    /// Those of the six that are there, whatever the organization takes.
    var files: Set<RosterFile> { Set(sizes.keys) }

    private var sizes: [RosterFile: Int] {
        switch self {
        case .folder(let folder): folder.sizes
        case .archive(let archive): archive.sizes
        case .file(let single): [single.file: single.size]
        }
    }

    /// Bytes of the files together. For an archive this is a mere claim: use it for progress, not for decisions.
    package var bytesTotal: Int { Self.total(of: sizes.values) }

    /// Adds sizes without overflow, since claimed ones can be arbitrarily large.
    static func total(of sizes: some Sequence<Int>) -> Int {
        sizes.reduce(0) { total, size in
            let (sum, isTooLarge) = total.addingReportingOverflow(size)
            return isTooLarge ? .max : sum
        }
    }

    /// - Returns: nil if the file is missing, which has been reported.
    /// - Throws: ``UnreadableFile``
    package func stream(_ file: RosterFile) throws -> (any ByteStream)? {
        switch self {
        case .folder(let folder): try folder.stream(file)
        case .archive(let archive): try archive.stream(file)
        case .file(let single): try single.stream(file)
        }
    }

    /// Reports files other than the six, unless ``reportMissing(besides:others:defects:)`` reports that the file has to
    /// be renamed.
    static func reportUnexpected(
        _ others: [String], besides found: Set<RosterFile>, in place: String, defects: DefectLog
    ) {
        for name in others {
            if let meant = RosterFile(named: name.lowercased()), !found.contains(meant) { continue }
            defects.report(
                .unexpectedFile, in: place, value: name, "This is none of the six files; it is ignored.",
                remedy: "Remove it.")
        }
    }

    /// Whether the name is one of the files that operating systems add by themselves.
    static func isClutter(_ name: some StringProtocol) -> Bool {
        name == ".DS_Store" || name == "Thumbs.db" || name == "desktop.ini" || name.hasPrefix("._")
    }

    /// Reports each file that is not in `found` and that the organization's imports take.
    /// - Parameter others: names of other files, one of which may be a missing file under another spelling.
    static func reportMissing(
        besides found: Set<RosterFile>, others: [String], for kind: Organization.Kind, defects: DefectLog
    ) {
        let addition =
            switch kind {
            case .school: "Add it, if need be with its header line only: every import takes all six files."
            case .business: "Add it: it has the people of the business, and is the only file that is needed."
            }
        for file in RosterFile.files(of: kind) where !found.contains(file) {
            let similar = others.first { $0.lowercased() == file.name }
            defects.report(
                .missingFile, in: file.name, value: similar, "The file is missing.",
                remedy: similar.map { "Rename \($0) to \(file.name)." } ?? addition)
        }
    }
}
