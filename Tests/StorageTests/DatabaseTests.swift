import Foundation
import Storage
import TestSupport
import Testing

@Suite struct DatabaseTests {
    static let notes = [
        Migration(1, "Notes", sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT NOT NULL, mark BLOB) STRICT;")
    ]

    @Test("every kind of value comes back as it went in", arguments: TestDatabase.available)
    func roundTrip(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Self.notes) { database in
            let texts = ["", "plain", "Größe 大阪 👩🏽‍🏫", "a'b\"c\\d\te\nf", String(repeating: "x", count: 100_000)]
            let marks: [[UInt8]?] = [nil, [], [0], Array(0...255), [0x5c, 0x78]]
            try await database.write { transaction in
                for (index, (text, mark)) in zip(texts, marks).enumerated() {
                    try transaction.execute(
                        "INSERT INTO note (id, body, mark) VALUES ($1, $2, $3)", [Int64.max - Int64(index), text, mark])
                }
            }
            let read = try await database.read { transaction in
                try transaction.all("SELECT id, body, mark FROM note ORDER BY id DESC") { row in
                    Note(id: try row[0], body: try row[1], mark: try row[2])
                }
            }
            let expected = zip(texts, marks).enumerated().map {
                Note(id: .max - Int64($0.offset), body: $0.element.0, mark: $0.element.1)
            }
            #expect(read == expected)
        }
    }

    struct Note: Equatable, Sendable {
        let id: Int64
        let body: String
        let mark: [UInt8]?
    }

    @Test("a parameter may stand anywhere and more than once", arguments: TestDatabase.available)
    func parametersByName(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Self.notes) { database in
            let id = try await database.write { transaction in
                try transaction.first(
                    "INSERT INTO note (id, body) SELECT $2, $1 WHERE $2 < 10 RETURNING id", ["seven", 7]
                ) { try $0[0] as Int }
            }
            #expect(id == 7)
        }
    }

    @Test("a transaction that throws leaves nothing", arguments: TestDatabase.available)
    func rollsBack(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Self.notes) { database in
            await #expect(throws: Oops.self) {
                try await database.write { transaction in
                    try transaction.execute("INSERT INTO note (id, body) VALUES (1, 'a')")
                    throw Oops()
                }
            }
            let count = try await database.noteCount()
            #expect(count == 0)
        }
    }

    struct Oops: Error {}

    @Test("of many writes at once, those that fail do not fail their neighbours", arguments: TestDatabase.available)
    func neighbours(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Self.notes) { database in
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for index in 0..<200 {
                    group.addTask {
                        do {
                            try await database.write { transaction in
                                for id in [1_000 + index, index % 150] {
                                    try transaction.execute("INSERT INTO note (id, body) VALUES ($1, 'a')", [id])
                                }
                            }
                            return true
                        } catch DatabaseError.uniqueViolation {
                            return false
                        } catch {
                            Issue.record(error)
                            return false
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.filter { $0 }.count == 150)
            let count = try await database.noteCount()
            #expect(count == 2 * 150)
        }
    }

    @Test("concurrent read-modify-writes lose no update", arguments: TestDatabase.available)
    func serializes(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Self.notes) { database in
            try await database.write { try $0.execute("INSERT INTO note (id, body) VALUES (1, '0')") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        try await database.write { transaction in
                            let body: String = try #require(
                                try transaction.first("SELECT body FROM note WHERE id = 1") { try $0[0] })
                            try transaction.execute(
                                "UPDATE note SET body = $1 WHERE id = 1", [String(try #require(Int(body)) + 1)])
                        }
                    }
                }
                try await group.waitForAll()
            }
            let body = try await database.read { try $0.first("SELECT body FROM note") { try $0[0] as String } }
            #expect(body == "40")
        }
    }

    @Test("a read cannot write", arguments: TestDatabase.available)
    func readOnly(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Self.notes) { database in
            await #expect(throws: DatabaseError.self) {
                _ = try await database.read { transaction in
                    try transaction.all("INSERT INTO note (id, body) VALUES (1, 'a') RETURNING id") { try $0[0] as Int }
                }
            }
            let count = try await database.noteCount()
            #expect(count == 0)
        }
    }

    @Test("violations are told apart", arguments: TestDatabase.available)
    func violations(_ kind: TestDatabase) async throws {
        let schema =
            Self.notes + [
                Migration(
                    2, "Remarks", sql: "CREATE TABLE remark (note_id INTEGER NOT NULL REFERENCES note (id)) STRICT;")
            ]
        try await kind.with(migrations: schema) { database in
            func failure(_ sql: String, _ parameters: [String] = []) async -> String {
                do {
                    try await database.write { try $0.execute(sql, parameters) }
                    return "none"
                } catch let error as DatabaseError {
                    return switch error {
                    case .uniqueViolation: "unique"
                    case .foreignKeyViolation: "foreign key"
                    case .constraintViolation: "constraint"
                    case .unstorableText: "text"
                    default: "\(error)"
                    }
                } catch {
                    return "\(error)"
                }
            }
            let outcomes = [
                await failure("INSERT INTO note (id, body) VALUES (1, 'a')"),
                await failure("INSERT INTO note (id, body) VALUES (1, 'b')"),
                await failure("INSERT INTO remark (note_id) VALUES (2)"),
                await failure("INSERT INTO note (id, body) VALUES (3, NULL)"),
                await failure("INSERT INTO note (id, body) VALUES (4, $1)", ["a\0b"]),
            ]
            #expect(outcomes == ["none", "unique", "foreign key", "constraint", "text"])
        }
    }

    @Test("a session fills temporary tables and writes from them", arguments: TestDatabase.available)
    func session(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Self.notes) { database in
            let bodies = ["a", "", "tab\tnew\nline\\back", "大阪"]
            for _ in 0..<2 {  // the second session finds no table of the first
                try await database.session { session in
                    try session.script("CREATE TEMPORARY TABLE staged (line BIGINT, body TEXT)")
                    try session.bulkInsert(into: "staged", columns: ["line", "body"]) { writer in
                        for (index, body) in bodies.enumerated() {
                            try writer.append(index)
                            try writer.append(body)
                            try writer.endRow()
                        }
                        try writer.append(99)
                        try writer.appendNull()
                        try writer.endRow()
                    }
                    try session.write { transaction in
                        try transaction.execute("DELETE FROM note")
                        try transaction.execute(
                            "INSERT INTO note (id, body) SELECT line, body FROM staged WHERE body IS NOT NULL")
                    }
                }
            }
            let read = try await database.read {
                try $0.all("SELECT body FROM note ORDER BY id") { try $0[0] as String }
            }
            #expect(read == bodies)
        }
    }

    @Test("the same statement can run inside its own loop", arguments: TestDatabase.available)
    func nested(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Self.notes) { database in
            let pairs = try await database.write { transaction in
                try transaction.execute("INSERT INTO note (id, body) VALUES (1, 'a'), (2, 'b')")
                var pairs: [String] = []
                let sql = "SELECT body FROM note ORDER BY id"
                try transaction.forEach(sql) { outer in
                    let left: String = try outer[0]
                    try transaction.forEach(sql) { inner in pairs.append(left + (try inner[0])) }
                }
                return pairs
            }
            #expect(pairs == ["aa", "ab", "ba", "bb"])
        }
    }

    @Test("a closed database says so", arguments: TestDatabase.available)
    func closed(_ kind: TestDatabase) async throws {
        let (location, remove) = try await kind.makeEmpty()
        let database = try openDatabase(at: location)
        await database.close()
        await #expect(throws: DatabaseError.closed) { try await database.read { _ in } }
        await #expect(throws: DatabaseError.closed) { try await database.write { _ in } }
        await #expect(throws: DatabaseError.closed) { try await database.session { _ in } }
        await remove()
    }

    @Test("closing waits for a session that runs", arguments: TestDatabase.available)
    func closingWaits(_ kind: TestDatabase) async throws {
        let (location, remove) = try await kind.makeEmpty()
        let database = try openDatabase(at: location)
        try await database.migrate(Self.notes)
        let (started, signal) = AsyncStream.makeStream(of: Void.self)
        let mayEnd = DispatchSemaphore(value: 0)
        async let session: Void = database.session { session in
            signal.yield()
            mayEnd.wait()
            _ = try session.write { try $0.execute("INSERT INTO note (id, body) VALUES (1, 'a')") }
        }
        for await _ in started { break }
        async let closed: Void = database.close()
        mayEnd.signal()
        await closed
        let again = try openDatabase(at: location)
        let count = try await again.noteCount()
        #expect(count == 1)
        try await session
        await again.close()
        await remove()
    }

    @Test("reads go on beside writes and sessions that wait", arguments: TestDatabase.available)
    func readsGoOn(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Self.notes) { database in
            let (started, signal) = AsyncStream.makeStream(of: Void.self)
            let mayEnd = DispatchSemaphore(value: 0)
            async let holder: Void = database.write { transaction in
                if transaction.dialect == .postgres { try transaction.execute("LOCK TABLE note IN EXCLUSIVE MODE") }
                signal.yield()
                mayEnd.wait()
                try transaction.execute("INSERT INTO note (id, body) VALUES (1, 'a')")
            }
            for await _ in started { break }
            let waiting = Task {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for id in 2..<32 {
                        group.addTask {
                            _ = try await database.write {
                                try $0.execute("INSERT INTO note (id, body) VALUES ($1, 'b')", [id])
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            let before = try await database.noteCount()
            #expect(before == 0)
            mayEnd.signal()
            try await holder
            try await waiting.value
            let after = try await database.noteCount()
            #expect(after == 31)
        }
    }

    @Test("a write that was taken back does not pass for done", arguments: TestDatabase.available)
    func failedStatement(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Self.notes) { database in
            func write() async throws {
                try await database.write { transaction in
                    try transaction.execute("INSERT INTO note (id, body) VALUES (1, 'a')")
                    _ = try? transaction.execute("INSERT INTO note (id, body) VALUES (1, 'b')")
                }
            }
            // SQLite goes on after a statement that failed, PostgreSQL takes the whole transaction back.
            switch kind {
            case .sqlite: try await write()
            case .postgres: await #expect(throws: DatabaseError.self) { try await write() }
            }
            let count = try await database.noteCount()
            #expect(count == (kind == .sqlite ? 1 : 0))
        }
    }

    @Test("a statement tells how many rows it changed itself", arguments: TestDatabase.available)
    func changes(_ kind: TestDatabase) async throws {
        let schema =
            Self.notes + [
                Migration(
                    2, "Remarks",
                    sql: "CREATE TABLE remark (note_id INTEGER NOT NULL REFERENCES note (id) ON DELETE CASCADE) STRICT;"
                )
            ]
        try await kind.with(migrations: schema) { database in
            let counts = try await database.write { transaction in
                try [
                    "INSERT INTO note (id, body) VALUES (1, 'a'), (2, 'b')",
                    "INSERT INTO remark (note_id) VALUES (1), (1), (1)",
                    "UPDATE note SET body = 'c' WHERE id = 3",
                    "DELETE FROM note WHERE id = 1",
                    "DELETE FROM note WHERE id = 1",
                ].map { try transaction.execute($0) }
            }
            #expect(counts == [2, 3, 0, 1, 0])
        }
    }

    @Test(
        "PostgreSQL is among the databases tested",
        .enabled(if: TestDatabase.postgresURL != nil, "set LANYARD_TEST_POSTGRES, or run `make test`"))
    func postgresIsTested() {
        #expect(TestDatabase.available == [.sqlite, .postgres])
    }
}

extension Database {
    func noteCount() async throws -> Int {
        try await read { try $0.first("SELECT COUNT(*) FROM note") { try $0[0] } ?? -1 }
    }
}
