import Foundation
import Storage
import TestSupport
import Testing

@Suite struct SQLiteDatabaseTests {
    @Test("a full disk fails the write that does not fit, and nothing else is lost")
    func full() async throws {
        let (location, remove) = try await TestDatabase.sqlite.makeEmpty()
        let database = try SQLiteDatabase(path: location, pagesMax: 50)
        try await database.migrate(DatabaseTests.notes)
        try await database.write { try $0.execute("INSERT INTO note (id, body) VALUES (1, 'kept')") }

        await #expect {
            try await database.write { transaction in
                try transaction.execute("UPDATE note SET body = 'changed'")
                for id in 2...1_000 {
                    try transaction.execute(
                        "INSERT INTO note (id, body) VALUES ($1, $2)", [id, String(repeating: "x", count: 4_000)])
                }
            }
        } throws: { error in
            if case .full = error as? DatabaseError { true } else { false }
        }

        let bodies = try await database.read { try $0.all("SELECT body FROM note") { try $0[0] as String } }
        #expect(bodies == ["kept"])
        try await database.write { try $0.execute("INSERT INTO note (id, body) VALUES (2, 'goes on')") }
        await database.close()
        await remove()
    }

    @Test("the file is in WAL mode, and every commit reaches the disk")
    func settings() async throws {
        try await TestDatabase.sqlite.with(migrations: DatabaseTests.notes) { database in
            let settings = try await database.write { transaction in
                [
                    try transaction.first("PRAGMA journal_mode") { try $0[0] as String },
                    try transaction.first("PRAGMA synchronous") { String(try $0[0] as Int) },
                    try transaction.first("PRAGMA foreign_keys") { String(try $0[0] as Int) },
                ]
            }
            #expect(settings == ["wal", "2", "1"])
        }
    }

    @Test("a path that cannot be opened is named")
    func unopenable() {
        #expect {
            _ = try SQLiteDatabase(path: "/nowhere/at/all.sqlite")
        } throws: { error in
            guard case .unavailable(let message) = error as? DatabaseError else { return false }
            return message.contains("/nowhere/at/all.sqlite")
        }
    }
}
