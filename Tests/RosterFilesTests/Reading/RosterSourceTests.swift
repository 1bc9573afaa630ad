import CArchive
import Foundation
import Testing

@testable import RosterFiles

@Suite struct RosterSourceTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "roster-\(UUID().uuidString)")

    /// Writes `bytes` as an archive, reads the six files from it, and cleans up.
    /// - Returns: defects as `file value code`.
    private func defects(
        inArchive bytes: [UInt8], limits: ArchiveLimits = ArchiveLimits(), rows: inout Int
    ) throws -> [String] {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "Archive.zip").path
        try Data(bytes).write(to: URL(filePath: path))
        return try readAll(at: path, limits: limits, rows: &rows)
    }

    private func defects(inArchive zip: ZipBytes) throws -> [String] {
        var rows = 0
        return try defects(inArchive: zip.bytes, rows: &rows)
    }

    private func readAll(at path: String, limits: ArchiveLimits = ArchiveLimits(), rows: inout Int) throws -> [String] {
        let log = DefectLog()
        if let source = RosterSource.open(at: path, limits: limits, defects: log) {
            for file in RosterFile.allCases {
                guard let stream = try source.stream(file) else { continue }
                var reader = RosterFileReader(file, from: stream, defects: log)
                rows += try reader.forEachRow { _ in }.rows
            }
        }
        return log.kept.map { "\($0.file) \($0.value ?? "-") \($0.code.rawValue)" }
    }

    @Test("a link in a folder is refused, and nothing of what it leads to is told")
    func link() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for file in RosterFile.allCases where file != .students {
            try Data(ExampleSetTests.files[file]!.utf8).write(to: directory.appending(path: file.name))
        }
        try FileManager.default.createSymbolicLink(
            atPath: directory.appending(path: "students.csv").path, withDestinationPath: "/etc/passwd")
        var rows = 0
        let failure = #expect(throws: UnreadableFile.self) { try readAll(at: directory.path, rows: &rows) }
        #expect(failure?.message == "The file is a link.")
    }

    /// The example set, less `files`.
    private func example(without files: Set<RosterFile> = [], in folder: String = "") -> ZipBytes {
        var zip = ZipBytes()
        // The wrong way round: the order in the archive must not matter.
        for file in RosterFile.allCases.reversed() where !files.contains(file) {
            zip.add(folder + file.name, Array(ExampleSetTests.files[file]!.utf8))
        }
        return zip
    }

    @Test("the six files are read from an archive, whatever their order in it, and from a folder")
    func readsArchiveAndFolder() throws {
        var rowsOfArchive = 0
        let fromArchive = try defects(inArchive: example().bytes, rows: &rowsOfArchive)
        #expect(fromArchive == [])
        #expect(rowsOfArchive == 17)

        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for (file, text) in ExampleSetTests.files {
            try Data(text.utf8).write(to: directory.appending(path: file.name))
        }
        try Data().write(to: directory.appending(path: ".DS_Store"))
        var rowsOfFolder = 0
        let fromFolder = try readAll(at: directory.path, rows: &rowsOfFolder)
        #expect(fromFolder == [])
        #expect(rowsOfFolder == 17)
    }

    @Test("claimed sizes that no number holds are the largest number")
    func addsSizes() {
        #expect(RosterSource.total(of: [1, 2, 3]) == 6)
        #expect(RosterSource.total(of: [1, .max, .max, 5]) == .max)
    }

    @Test("an archive that is replaced or written to while it is read is refused", arguments: [false, true])
    func changedArchive(isReplaced: Bool) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "Archive.zip")
        try Data(example().bytes).write(to: path)
        let source = try #require(RosterSource.open(at: path.path, defects: DefectLog()))
        #expect(try source.stream(.students) != nil)
        if isReplaced {
            try Data(example().bytes).write(to: path, options: .atomic)
        } else {
            let handle = try FileHandle(forWritingTo: path)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(example().bytes))
            try handle.close()
        }
        #expect { try source.stream(.staff) } throws: { ($0 as? UnreadableFile)?.code == .unreadableArchive }
    }

    @Test("the bytes to come are known before reading")
    func knowsSize() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "Archive.zip").path
        try Data(example().bytes).write(to: URL(filePath: path))
        let source = try #require(RosterSource.open(at: path, defects: DefectLog()))
        #expect(source.bytesTotal == ExampleSetTests.files.values.map(\.utf8.count).reduce(0, +))
    }

    @Test("each missing file is one defect, and a name in other letters is recognised")
    func reportsMissingFiles() throws {
        var zip = example(without: [.staff, .courses])
        zip.add("Staff.CSV", [])
        let found = try defects(inArchive: zip)
        #expect(
            found == [
                "staff.csv Staff.CSV missing_file", "courses.csv - missing_file",
            ])
    }

    private static let foreign: [(files: [String: String], name: String)] = [
        (
            [
                "manifest.csv": "\"propertyName\",\"value\"\nmanifest.version,1.0\noneroster.version,1.1\n",
                "users.csv": "sourcedId,status,dateLastModified,enabledUser,orgSourcedIds,role\n",
                "classes.csv": "sourcedId,status,dateLastModified,title\n",
            ], "OneRoster 1.1"
        ),
        (["orgs.csv": "sourcedId,status,dateLastModified,name,type\n"], "OneRoster"),
        (
            [
                "orgs.csv": "\u{FEFF}sourcedId,name,type,parentSourcedId\r\n",
                "classes.csv": "sourcedId,orgSourcedId,title\r\n",
            ], "Microsoft School Data Sync"
        ),
        (
            ["School.csv": "SIS ID,Name\n", "Student.csv": "SIS ID,School SIS ID,Username\n"],
            "Microsoft School Data Sync"
        ),
        (["School.csv": "DfE Number,Name\n", "Student.csv": "ID,School DfE Number\n"], "Microsoft School Data Sync"),
    ]

    @Test(
        "files in another format are named in one sentence, in a folder or an archive",
        arguments: foreign.indices)
    func namesOtherFormats(index: Int) throws {
        let (files, name) = Self.foreign[index]
        var (zip, nested) = (ZipBytes(), ZipBytes())
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for (file, text) in files {
            zip.add(file, Array(text.utf8))
            nested.add("export/\(file)", Array(text.utf8))
            try Data(text.utf8).write(to: directory.appending(path: file))
        }
        for archive in [zip, nested] {
            let path = directory.appending(path: "a.zip")
            try Data(archive.bytes).write(to: path)
            let log = DefectLog()
            #expect(RosterSource.open(at: path.path, defects: log).map { _ in 0 } == nil)
            #expect(log.kept.map(\.code) == [.foreignFormat])
            #expect(
                log.kept[0].message == "These files are in the format of \(name), which Lanyard does not read.")
            try FileManager.default.removeItem(at: path)
        }
        let log = DefectLog()
        #expect(RosterSource.open(at: directory.path, defects: log).map { _ in 0 } == nil)
        #expect(log.kept.map(\.code) == [.foreignFormat])
    }

    @Test("the six files beside a manifest of somebody else are the six files")
    func sixFilesBesideManifest() throws {
        var zip = example()
        zip.add("manifest.csv", Array("propertyName,value\n".utf8))
        #expect(try defects(inArchive: zip) == ["Archive.zip manifest.csv unexpected_file"])
    }

    @Test(
        "an entry whose path leads elsewhere is refused",
        arguments: [
            "../students.csv", "a/../../students.csv", "/students.csv", "..\\students.csv", "C:\\students.csv", "..",
        ])
    func refusesUnsafePaths(path: String) throws {
        var zip = example(without: [.students])
        zip.add(path, Array(ExampleSetTests.files[.students]!.utf8))
        let found = try defects(inArchive: zip)
        try #require(found.count == 2)
        #expect(found[0].hasSuffix(" unsafe_path"))
        #expect(found[1] == "students.csv - missing_file")
    }

    @Test("a folder around the files is one defect, not six missing files")
    func refusesFolder() throws {
        var zip = example(in: "Roster 2025/")
        zip.add("Roster 2025/", [], mode: 0o040755)
        let found = try defects(inArchive: zip)
        #expect(found == ["Archive.zip Roster 2025 folder_in_archive"])
    }

    @Test("what operating systems leave behind is passed over in silence")
    func passesOverClutter() throws {
        var zip = example()
        zip.add("__MACOSX/", [], mode: 0o040755)
        zip.add("__MACOSX/._students.csv", [1])
        zip.add(".DS_Store", [1])
        let found = try defects(inArchive: zip)
        #expect(found == [])
    }

    @Test("links, encrypted and doubled files and others are reported")
    func reportsOddEntries() throws {
        var zip = example(without: [.staff, .courses])
        zip.add("staff.csv", Array("/etc/passwd".utf8), mode: 0o120777)
        zip.add("courses.csv", Array(repeating: 7, count: 100), isEncrypted: true)
        zip.add("students.csv", Array("person_id\n".utf8))
        zip.add("read me.txt", [])
        var rows = 0
        let found = try defects(inArchive: zip.bytes, rows: &rows)
        #expect(
            found == [
                "Archive.zip staff.csv not_a_regular_file", "Archive.zip courses.csv encrypted_file",
                "Archive.zip students.csv duplicate_file", "Archive.zip read me.txt unexpected_file",
            ])
        // Two locations, two classes, four roster rows: neither of the two students.csv is taken.
        #expect(rows == 8)
    }

    @Test("a file that unpacks without end is stopped by what comes out of it")
    func stopsZipBomb() throws {
        let zip = try deflated("rosters.csv", zeros: 60 << 20)
        var rows = 0
        let found = try defects(inArchive: zip, rows: &rows)
        #expect(found.contains("rosters.csv - suspicious_compression"))

        var limits = ArchiveLimits()
        limits.ratioMax = 10_000
        limits.uncompressedBytesMax = 20 << 20
        let stopped = try defects(inArchive: zip, limits: limits, rows: &rows)
        #expect(stopped.contains("rosters.csv - archive_too_large"))
    }

    @Test("an archive with too many entries is refused")
    func refusesManyEntries() throws {
        var zip = example()
        for index in 0..<1_000 { zip.add("\(index).txt", []) }
        let found = try defects(inArchive: zip)
        #expect(found.last == "Archive.zip - archive_too_large")
    }

    @Test("a damaged file is reported at its name, and the others are read")
    func reportsDamage() throws {
        var zip = example(without: [.rosters])
        zip.add("rosters.csv", Array(ExampleSetTests.files[.rosters]!.utf8), checksum: 1)
        var rows = 0
        let found = try defects(inArchive: zip.bytes, rows: &rows)
        #expect(found == ["rosters.csv - unreadable_archive"])
        #expect(rows >= 13)
    }

    @Test(
        "what is no ZIP archive is refused",
        arguments: [[], Array("person_id,location_id\n".utf8), [0x1F, 0x8B, 8, 0]])
    func refusesOtherFormats(bytes: [UInt8]) throws {
        var rows = 0
        let found = try defects(inArchive: bytes, rows: &rows)
        #expect(found == ["Archive.zip - unreadable_archive"])
    }

    @Test("a truncated archive is refused")
    func refusesTruncation() throws {
        var rows = 0
        let found = try defects(inArchive: example().bytes.dropLast(40), rows: &rows)
        #expect(found == ["Archive.zip - unreadable_archive"])
    }

    @Test("a path that leads nowhere is a defect")
    func refusesMissingPath() throws {
        var rows = 0
        let found = try readAll(at: "/nonexistent/roster.zip", rows: &rows)
        #expect(found == ["roster.zip - unreadable_archive"])
    }

    @Test("a pipe in the place of a file is refused and does not block", .timeLimit(.minutes(1)))
    func refusesPipe() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for (file, text) in ExampleSetTests.files where file != .staff {
            try Data(text.utf8).write(to: directory.appending(path: file.name))
        }
        mkfifo(directory.appending(path: "staff.csv").path, 0o600)
        try Data().write(to: directory.appending(path: "notes.txt"))
        var rows = 0
        let found = try readAll(at: directory.path, rows: &rows)
        #expect(
            found == [
                "staff.csv - not_a_regular_file", "\(directory.lastPathComponent) notes.txt unexpected_file",
            ])
    }

    /// An archive with one compressed file of zero bytes.
    private func deflated(_ name: String, zeros: Int) throws -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 1 << 20)
        var used = 0
        let archive = archive_write_new()
        defer { archive_write_free(archive) }
        archive_write_set_format_zip(archive)
        try #require(archive_write_open_memory(archive, &output, output.count, &used) == ARCHIVE_OK)
        let entry = archive_entry_new()
        defer { archive_entry_free(entry) }
        archive_entry_set_pathname(entry, name)
        archive_entry_set_size(entry, Int64(zeros))
        archive_entry_set_filetype(entry, 0o100000)
        try #require(archive_write_header(archive, entry) == ARCHIVE_OK)
        let chunk = [UInt8](repeating: 0, count: 1 << 20)
        for _ in 0..<(zeros >> 20) { archive_write_data(archive, chunk, chunk.count) }
        archive_write_close(archive)
        return Array(output[..<used])
    }
}
