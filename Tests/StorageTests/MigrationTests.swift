import Schema
import Storage
import TestSupport
import Testing

@Suite struct MigrationTests {
    static let first = Migration(
        1, "A", sql: "CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, n INTEGER) STRICT;")
    static let second = Migration(2, "B", sql: "ALTER TABLE a ADD COLUMN body TEXT; UPDATE a SET body = 'was there';")

    @Test("steps run once, in order, over rows that are there", arguments: TestDatabase.available)
    func inOrder(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: [Self.first]) { database in
            try await database.write { try $0.execute("INSERT INTO a (n) VALUES (7)") }
            let applied = try await database.migrate([Self.first, Self.second])
            #expect(applied == [2])
            let again = try await database.migrate([Self.first, Self.second])
            #expect(again == [])
            let body = try await database.read { try $0.first("SELECT body FROM a") { try $0[0] as String } }
            #expect(body == "was there")
        }
    }

    @Test("a step that fails leaves the schema as it was", arguments: TestDatabase.available)
    func failing(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: [Self.first]) { database in
            let broken = Migration(
                2, "Broken", sql: "ALTER TABLE a ADD COLUMN body TEXT; CREATE TABLE a (x INTEGER) STRICT;")
            await #expect(throws: DatabaseError.self) { try await database.migrate([Self.first, broken]) }
            let applied = try await database.migrate([Self.first, Self.second])
            #expect(applied == [2])
        }
    }

    @Test("a database of a newer Lanyard is refused", arguments: TestDatabase.available)
    func newer(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: [Self.first, Self.second]) { database in
            await #expect(throws: DatabaseError.newerSchema(found: 2, known: 1)) {
                try await database.migrate([Self.first])
            }
        }
    }

    @Test("two servers that start at once migrate together", arguments: TestDatabase.available)
    func together(_ kind: TestDatabase) async throws {
        let (location, remove) = try await kind.makeEmpty()
        let databases = try (0..<3).map { _ in try openDatabase(at: location) }
        let applied = try await withThrowingTaskGroup(of: [Int].self) { group in
            for database in databases { group.addTask { try await database.migrate(Schema.migrations) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(applied.sorted() == Schema.migrations.map(\.number))
        for database in databases { await database.close() }
        await remove()
    }
}
