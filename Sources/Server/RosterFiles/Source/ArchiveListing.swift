import Directory

/// Sorts the entries of an archive into the six files, files to ignore, and unexpected ones.
struct ArchiveListing {
    private(set) var sizes: [RosterFile: Int] = [:]
    private(set) var entryCount = 0

    private let archiveName: String
    private let kind: Organization.Kind
    private let defects: DefectLog
    private var found: Set<RosterFile> = []
    private var folders: Set<String> = []
    private var others: [String] = []

    init(archiveName: String, kind: Organization.Kind, defects: DefectLog) {
        self.archiveName = archiveName
        self.kind = kind
        self.defects = defects
    }

    mutating func add(_ entry: ArchiveEntry) {
        entryCount += 1
        let parts = entry.path.split(separator: "/", omittingEmptySubsequences: true)
        guard isSafe(entry.path, parts) else {
            report(
                .unsafePath, entry, "The path of this entry leads out of the archive.",
                remedy: "Do not import this archive unless you know who made it; put plain file names into it.")
            return
        }
        if parts.first == "__MACOSX" || parts.last.map(RosterSource.isClutter) == true { return }
        if entry.kind == .folder || parts.count > 1 {
            addFolder(String(parts[0]))
            if parts.count > 1, let file = RosterFile(named: String(parts[parts.count - 1])) { found.insert(file) }
            return
        }
        guard let file = RosterFile(named: entry.path) else {
            others.append(entry.path)
            return
        }
        add(file, entry)
    }

    /// Reports unexpected entries and missing files. Files inside a folder have been reported together with it.
    func finish() {
        RosterSource.reportUnexpected(others, besides: found, in: archiveName, defects: defects)
        RosterSource.reportMissing(besides: found, others: others, for: kind, defects: defects)
    }

    private mutating func add(_ file: RosterFile, _ entry: ArchiveEntry) {
        let isFirst = found.insert(file).inserted
        if entry.kind != .file {
            report(.notARegularFile, entry, "This entry is a link or the like.", remedy: "Put the file itself there.")
        } else if entry.isEncrypted {
            report(.encryptedFile, entry, "The file is encrypted.", remedy: "Make the archive without a password.")
        } else if !isFirst {
            // Programs differ in which of two entries of one name they take, so neither is used.
            sizes[file] = nil
            report(.duplicateFile, entry, "The archive holds this file twice.", remedy: "Keep one of the two.")
        } else {
            sizes[file] = entry.size
        }
    }

    private mutating func addFolder(_ folder: String) {
        guard folders.insert(folder).inserted else { return }
        defects.report(
            .folderInArchive, in: archiveName, value: folder, "The archive holds a folder.",
            remedy: "Select the six files themselves, not the folder around them, and compress those.")
    }

    private func isSafe(_ path: String, _ parts: [Substring]) -> Bool {
        !parts.isEmpty && !path.hasPrefix("/") && !path.contains("\\") && !path.contains(":")
            && !parts.contains("..")
    }

    private func report(_ code: Defect.Code, _ entry: ArchiveEntry, _ message: String, remedy: String) {
        defects.report(code, in: archiveName, value: entry.path, message, remedy: remedy)
    }
}
