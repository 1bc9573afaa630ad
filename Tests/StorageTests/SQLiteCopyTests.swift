import Foundation
import TestSupport
import Testing

@testable import Storage

@Suite("Copies of SQLite files, and files in their place")
struct SQLiteCopyTests {
    @Test("A copy has all rows of one moment while others write, and its owner alone can read it")
    func whileWriting() async throws {
        let (location, remove) = try await TestDatabase.sqlite.makeEmpty()
        let database = try SQLiteDatabase(path: location)
        try await database.migrate(DatabaseTests.notes)
        let writing = Task {
            for id in 1...400 {
                // Two rows at a time: a copy of half a transaction would have an odd number.
                try await database.write { transaction in
                    try transaction.execute(
                        "INSERT INTO note (id, body) VALUES ($1, 'a'), ($2, 'b')", [2 * id, 2 * id + 1])
                }
            }
        }
        var counts: [Int] = []
        for number in 1...5 {
            let copy = try await SQLiteCopy.make(of: database, at: "\(location).copy\(number)")
            let attributes = try FileManager.default.attributesOfItem(atPath: copy.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let found = try copy.examine(counting: ["note"])
            #expect(found.damage == [] && found.step == DatabaseTests.notes.count)
            counts.append(found.rows["note"] ?? -1)
        }
        try await writing.value
        #expect(counts.allSatisfy { $0.isMultiple(of: 2) && $0 >= 0 } && counts == counts.sorted())
        await #expect(throws: DatabaseError.self) {
            try await SQLiteCopy.make(of: database, at: "\(location).copy1")
        }
        await database.close()
        for number in 1...5 { unlink("\(location).copy\(number)") }
        await remove()
    }

    @Test("Damage and references that lead nowhere are found")
    func damage() async throws {
        let (location, remove) = try await TestDatabase.sqlite.makeEmpty()
        let writer = try SQLiteConnection(path: location, role: .writer, busyTimeout: .seconds(1))
        try writer.script(
            """
            PRAGMA foreign_keys = OFF; CREATE TABLE a (id INTEGER PRIMARY KEY);
            CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a (id)); INSERT INTO b VALUES (1, 7);
            """)
        writer.close()
        let found = try SQLiteCopy(path: location).examine(counting: [])
        #expect(found.step == nil && found.damage.count == 1 && found.damage[0].contains("missing one of a"))
        try Data("no database at all".utf8).write(to: URL(fileURLWithPath: location))
        #expect(throws: DatabaseError.self) { try SQLiteCopy(path: location).examine(counting: []) }
        await remove()
    }

    @Test("A file that anybody has open, even idle, is not locked; one that is locked is not opened")
    func locks() async throws {
        let (location, remove) = try await TestDatabase.sqlite.makeEmpty()
        let database = try SQLiteDatabase(path: location)
        try await database.migrate(DatabaseTests.notes)
        #expect(try SQLiteFileLock(path: location) == nil)
        await database.close()
        let reader = try SQLiteConnection(path: location, role: .reader, busyTimeout: .zero)
        #expect(try SQLiteFileLock(path: location) == nil)
        reader.close()
        do {
            let lock = try #require(try SQLiteFileLock(path: location))
            #expect(throws: DatabaseError.self) {
                _ = try SQLiteConnection(path: location, role: .reader, busyTimeout: .zero)
            }
            // Another descriptor of the file comes and goes, and the lock stays.
            _ = FileManager.default.contents(atPath: location)
            #expect(throws: DatabaseError.self) {
                _ = try SQLiteConnection(path: location, role: .writer, busyTimeout: .zero)
            }
            withExtendedLifetime(lock) {}
        }
        try SQLiteConnection(path: location, role: .writer, busyTimeout: .zero).close()
        await remove()
    }

    @Test("Who waited for a file that was replaced finds no database, and cannot write into the new one's journal")
    func replaced() async throws {
        let (location, remove) = try await TestDatabase.sqlite.makeEmpty()
        for (path, body) in [(location, "old"), ("\(location).new", "new")] {
            let database = try SQLiteDatabase(path: path)
            try await database.migrate(DatabaseTests.notes)
            try await database.write { try $0.execute("INSERT INTO note (id, body) VALUES (1, '\(body)')") }
            await database.close()
        }
        let lock = try #require(try SQLiteFileLock(path: location))
        let waiting = Task.detached {
            _ = try SQLiteConnection(path: location, role: .writer, busyTimeout: .seconds(30))
        }
        try await Task.sleep(for: .milliseconds(200))
        try lock.copy(to: "\(location).aside")
        try lock.replace(by: "\(location).new")
        lock.release()
        await #expect(throws: DatabaseError.self) { try await waiting.value }
        for (path, body) in [(location, "new"), ("\(location).aside", "old")] {
            let database = try SQLiteDatabase(path: path)
            #expect(try await database.read { try $0.all("SELECT body FROM note") { try $0[0] as String } } == [body])
            await database.close()
        }
        unlink("\(location).aside")
        await remove()
    }
}
