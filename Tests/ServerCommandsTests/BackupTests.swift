import CommandOutput
import Foundation
import Storage
import Testing

@testable import ServerCommands

@Suite("Copies of the database")
struct BackupTests {
    /// A folder that goes with the test.
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("backup-\(UUID())").path
        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        /// Writes the files of a copy.
        func add(_ stem: String, at day: Double, key: String = "key", content: String = "content") throws {
            try Data(content.utf8).write(to: URL(fileURLWithPath: "\(path)/\(stem).sqlite"))
            let manifest = BackupManifest(
                lanyardBackup: BackupManifest.format, madeAt: BackupTests.begin.addingTimeInterval(day * 86_400),
                version: "0.1.0", database: .sqlite, schemaStep: 53,
                copy: try .init(of: "\(path)/\(stem).sqlite", named: "\(stem).sqlite"), rows: ["person": 3],
                erasures: nil, masterKey: key)
            try BackupManifest.encoder.encode(manifest).write(to: URL(fileURLWithPath: "\(path)/\(stem).json"))
        }

        var names: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
        }
    }

    private static let begin = Date(timeIntervalSince1970: 1_795_824_000)

    @Test("A manifest says the same after it was written and read")
    func manifest() throws {
        let folder = try Folder()
        try folder.add("lanyard-a", at: 0)
        let entries = BackupFolder(path: folder.path).entries()
        #expect(entries.map(\.stem) == ["lanyard-a"])
        #expect(entries.first?.manifest.madeAt == Self.begin)
        #expect(entries.first?.manifest.copy.bytes == 7)
        // What sha256sum says of the text “content”.
        #expect(
            entries.first?.manifest.copy.sha256
                == "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73")
        #expect(entries.first.map(BackupFolder(path: folder.path).isComplete) == true)
    }

    @Test("Only what a manifest of this form describes counts as a copy")
    func recognized() throws {
        let folder = try Folder()
        try folder.add("lanyard-a", at: 0)
        let text = try String(contentsOfFile: "\(folder.path)/lanyard-a.json", encoding: .utf8)
        for (name, content) in [
            ("notes.json", "{}"), ("broken.json", "{"), ("a.erasures.json", text),
            // A manifest that names files of others, and one of a form to come.
            ("lanyard-b.json", text),
            ("lanyard-a2.json", text.replacingOccurrences(of: "lanyard-a.sqlite", with: "../etc.sqlite")),
            (
                "lanyard-c.json",
                text.replacingOccurrences(of: "lanyard-a.", with: "lanyard-c.")
                    .replacingOccurrences(of: "\"lanyardBackup\" : 1", with: "\"lanyardBackup\" : 2")
            ),
        ] {
            try Data(content.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
        }
        #expect(BackupFolder(path: folder.path).entries().map(\.stem) == ["lanyard-a"])
    }

    @Test("A file that was changed, cut off or taken away is not taken for a copy")
    func damaged() throws {
        let folder = try Folder()
        try folder.add("lanyard-a", at: 0)
        let part = try #require(BackupFolder(path: folder.path).entries().first).manifest.copy
        let file = "\(folder.path)/\(part.file)"
        try part.check(file)
        for content in ["Content", "conten", ""] {
            try Data(content.utf8).write(to: URL(fileURLWithPath: file))
            let failure = #expect(throws: Failure.self) { try part.check(file) }
            #expect(failure?.description.contains("damaged") == true)
        }
        unlink(file)
        #expect(throws: Failure.self) { try part.check(file) }
    }

    @Test(
        "Copies go by number and by age, each limit by itself, and the newest stays",
        arguments: [
            (BackupRetention(), []),
            (BackupRetention(count: 1), ["d3", "d2", "d0"]),
            (BackupRetention(count: 2), ["d2", "d0"]),
            (BackupRetention(count: 9), []),
            (BackupRetention(days: 3), ["d0"]),
            (BackupRetention(days: 1), ["d3", "d2", "d0"]),
            (BackupRetention(count: 2, days: 30), ["d2", "d0"]),
            (BackupRetention(count: 30, days: 3), ["d0"]),
        ])
    func retention(rule: BackupRetention, gone: [String]) throws {
        let folder = try Folder()
        for day in [0.0, 2, 3, 4] { try folder.add("d\(Int(day))", at: day) }
        // Another installation's, in the same folder.
        try folder.add("other", at: 0, key: "another key")
        let entries = BackupFolder(path: folder.path).entries()
        let newest = try #require(entries.first { $0.stem == "d4" })
        let now = Self.begin.addingTimeInterval(4 * 86_400 + 60)
        #expect(rule.superfluous(in: entries, newest: newest, at: now).map(\.stem) == gone)
    }

    @Test("A copy is removed with its manifest, and nothing else is")
    func removal() throws {
        let folder = try Folder()
        try folder.add("lanyard-a", at: 0)
        try folder.add("lanyard-ab", at: 1)
        try Data().write(to: URL(fileURLWithPath: "\(folder.path)/lanyard-a.txt"))
        let copies = BackupFolder(path: folder.path)
        try copies.remove(try #require(copies.entries().first { $0.stem == "lanyard-a" }))
        #expect(try folder.names == ["lanyard-a.txt", "lanyard-ab.json", "lanyard-ab.sqlite"])
    }

    @Test("Names have the time in UTC, and none is given twice")
    func names() throws {
        let folder = try Folder()
        let copies = BackupFolder(path: folder.path)
        let stem = copies.newStem(at: Self.begin)
        #expect(stem == "lanyard-20261128T000000Z")
        try folder.add(stem, at: 0)
        #expect(copies.newStem(at: Self.begin) == "lanyard-20261128T000000Z-2")
        try folder.add("\(stem)-2", at: 0)
        #expect(copies.newStem(at: Self.begin) == "lanyard-20261128T000000Z-3")
    }

    @Test("One at a time writes into a folder, and what a killed one has left goes")
    func lock() throws {
        let folder = try Folder()
        let copies = BackupFolder(path: folder.path)
        let lock = try copies.lock()
        #expect(throws: Failure.self) { try copies.lock() }
        withExtendedLifetime(lock) {}
        try copies.write(Data("half".utf8), to: copies.draft("lanyard-a.sqlite"))
        try Data().write(to: URL(fileURLWithPath: "\(folder.path)/.other.unfinished"))
        copies.removeDrafts()
        #expect(try folder.names == [".other.unfinished"])
    }

    @Test(
        "The version of pg_dump is read as each distribution writes it",
        arguments: [
            ("pg_dump (PostgreSQL) 15.5 (Debian 15.5-0+deb12u1)", 15), ("pg_dump (PostgreSQL) 18beta1", 18),
            ("pg_dump (PostgreSQL) 9.6.24", 9), ("pg_dump", nil),
        ] as [(String, Int?)])
    func version(words: String, major: Int?) {
        #expect(PostgresTools.major(ofVersion: words) == major)
    }
}

@Suite("Copies of each day")
struct DailyTimeTests {
    private static func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    @Test(
        "The next one is at its time, and at once where one was missed",
        arguments: [
            ("2026-03-07T12:00:00Z", nil, "2026-03-07T12:00:00Z"),
            ("2026-03-07T12:00:00Z", "2026-03-07T11:00:00Z", "2026-03-08T08:00:00Z"),
            ("2026-03-07T12:00:00Z", "2026-03-07T08:00:10Z", "2026-03-08T08:00:00Z"),
            ("2026-03-07T12:00:00Z", "2026-03-06T08:00:10Z", "2026-03-07T12:00:00Z"),
            // No two o'clock in that night: the first time that there is.
            ("2026-03-08T00:00:00Z", "2026-03-07T08:00:10Z", "2026-03-08T08:00:00Z"),
            ("2026-03-09T00:00:00Z", "2026-03-08T08:00:10Z", "2026-03-09T07:00:00Z"),
            // A clock that was wrong when the last one was made.
            ("2026-03-07T12:00:00Z", "2027-01-01T00:00:00Z", "2026-03-07T12:00:00Z"),
        ])
    func next(now: String, last: String?, due: String) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "America/Chicago"))
        let time = try #require(DailyTime(argument: "02:00"))
        let found = time.next(after: try Self.date(now), last: try last.map(Self.date), in: calendar)
        #expect(try found == Self.date(due))
    }

    @Test(
        "Times are hours and minutes", arguments: ["2:00", "24:00", "00:60", "0200", "", "-1:00", "02:00:00", "٠٢:٠٠"])
    func refused(text: String) { #expect(DailyTime(argument: text) == nil) }
}
