import Foundation
import TestSupport
import Testing
@testable import Storage

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

    @Test("a file that another process holds is waited for before it is looked into")
    func held() async throws {
        let (location, remove) = try await TestDatabase.sqlite.makeEmpty()
        let holder = try SQLiteConnection(path: location, role: .writer, busyTimeout: .seconds(60))
        try holder.script("PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE note (id INTEGER) STRICT")
        #expect(throws: DatabaseError.self) { try isSQLiteFile(location, withTable: "note", waiting: 0) }
        let isFound = Task.detached { try isSQLiteFile(location, withTable: "note") }
        try await Task.sleep(for: .milliseconds(50))
        holder.close()
        #expect(try await isFound.value)
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

    @Test("the files are their owner's alone, and a clean stop leaves one of them")
    func files() async throws {
        let (location, remove) = try await TestDatabase.sqlite.makeEmpty()
        func modes() -> [String] {
            ["", "-wal", "-shm"].map { suffix in
                let attributes = try? FileManager.default.attributesOfItem(atPath: location + suffix)
                return attributes.map { String($0[.posixPermissions] as? Int ?? 0, radix: 8) } ?? "none"
            }
        }
        let database = try SQLiteDatabase(path: location)
        try await database.migrate(DatabaseTests.notes)
        let count = try await database.noteCount()
        #expect(count == 0)
        #expect(modes() == ["600", "600", "600"])
        await database.close()
        #expect(modes() == ["600", "none", "none"])
        await remove()
    }

    @Test(
        """
        writes that wait for another process fail together, however many they are, and a schema that is up to date is only \
        read
        """)
    func busy() async throws {
        let (location, remove) = try await TestDatabase.sqlite.makeEmpty()
        let (other, database) = (
            try SQLiteDatabase(path: location),
            try SQLiteDatabase(path: location, busyTimeout: .milliseconds(500))
        )
        try await other.migrate(DatabaseTests.notes)
        let (started, signal) = AsyncStream.makeStream(of: Void.self)
        let mayEnd = DispatchSemaphore(value: 0)
        async let holder: Void = other.write { transaction in
            try transaction.execute("INSERT INTO note (id, body) VALUES (1, 'a')")
            signal.yield()
            mayEnd.wait()
        }
        for await _ in started { break }

        let applied = try await database.migrate(DatabaseTests.notes)
        #expect(applied == [])
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for id in 2..<642 {
                group.addTask {
                    do {
                        try await database.write {
                            try $0.execute("INSERT INTO note (id, body) VALUES ($1, 'b')", [id])
                        }
                        return false
                    } catch {
                        if case .busy = error as? DatabaseError { return true } else { return false }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes == Array(repeating: true, count: 640))

        mayEnd.signal()
        try await holder
        await other.close()
        await database.close()
        await remove()
    }

    @Test(
        "a write that was queued behind a batch that has waited in vain does not wait as long again",
        .timeLimit(.minutes(1)))
    func waitedAlready() async throws {
        let (location, remove) = try await TestDatabase.sqlite.makeEmpty()
        let other = try SQLiteDatabase(path: location)
        try await other.migrate(DatabaseTests.notes)
        let (started, signal) = AsyncStream.makeStream(of: Void.self)
        let mayEnd = DispatchSemaphore(value: 0)
        async let holder: Void = other.write { transaction in
            try transaction.execute("INSERT INTO note (id, body) VALUES (1, 'a')")
            signal.yield()
            mayEnd.wait()
        }
        for await _ in started { break }

        let (failures, failure) = AsyncStream.makeStream(of: Bool.self)
        // Were it to wait anew, it would wait for longer than this test may take.
        let limit = Duration.seconds(600)
        await WorkerThread(name: "batch") {
            defer { failure.finish() }
            guard let connection = try? SQLiteConnection(path: location, role: .writer, busyTimeout: limit) else {
                return
            }
            let jobs = [limit, .zero].map { waited in
                WriteJob(
                    { try $0.execute("INSERT INTO note (id, body) VALUES (2, 'b')") }, queuedAt: .now - waited
                ) { result in
                    if case .failure(DatabaseError.busy) = result { failure.yield(true) } else { failure.yield(false) }
                }
            }
            WriteBatch(jobs, on: connection, busyTimeout: limit).run()
            connection.close()
        }.join()
        #expect(await failures.reduce(into: []) { $0.append($1) } == [true, true])

        mayEnd.signal()
        try await holder
        await other.close()
        await remove()
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
