import Foundation
import Storage
import TestSupport
import Testing

@Suite struct RowTests {
    private static let migrations = [
        Migration(
            1, "Records with several columns of one type",
            sql: """
                CREATE TABLE record (id INTEGER PRIMARY KEY, name TEXT NOT NULL, given_name TEXT, room TEXT) STRICT;
                INSERT INTO record (id, name, given_name, room) VALUES (1, 'a', 'b', 'c'), (2, 'd', NULL, 'f');
                """)
    ]

    @Test("columns are read by name, in any order and as often as wanted", arguments: TestDatabase.available)
    func byName(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Self.migrations) { database in
            let texts = try await database.read { transaction in
                try transaction.all("SELECT id, name, given_name, room FROM record ORDER BY id") { row in
                    let isFirst = try row["id"] as Int == 1
                    // The rows are read in different orders, because the position after the last column is only a
                    // guess.
                    return isFirst
                        ? "\(try row["name"] as String) \(try row["given_name"] as String) \(try row["room"] as String)"
                        : "\(try row["room"] as String) \(try row["name"] as String) \(try row["room"] as String)"
                }
            }
            #expect(texts == ["a b c", "f d f"])
        }
    }

    @Test("one statement is read in two places, again and again", arguments: TestDatabase.available)
    func twoPlaces(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Self.migrations) { database in
            for _ in 0..<3 {
                let (rooms, both) = try await database.read { transaction in
                    let sql = "SELECT room, given_name FROM record ORDER BY id"
                    return (
                        try transaction.all(sql) { try $0["room"] as String },
                        try transaction.all(sql) { [try $0["given_name"] as String?, try $0["room"] as String?] }
                    )
                }
                #expect(rooms == ["c", "f"])
                #expect(both == [["b", "c"], [nil, "f"]])
            }
        }
    }

    @Test("a statement that runs inside its own loop keeps the places apart", arguments: TestDatabase.available)
    func nested(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Self.migrations) { database in
            let texts = try await database.read { transaction in
                let sql = "SELECT name, room FROM record ORDER BY id"
                return try transaction.all(sql) { outer in
                    let name: String = try outer["name"]
                    let inner = try transaction.all(sql) { try $0["room"] as String }.joined()
                    return name + inner + (try outer["room"] as String)
                }
            }
            #expect(texts == ["acfc", "dcff"])
        }
    }

    @Test("expressions are read by the name that they are given", arguments: TestDatabase.available)
    func expressions(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Self.migrations) { database in
            let found = try await database.read {
                try $0.first(
                    "SELECT COUNT(*) AS number, MAX(r.name) AS last, COUNT(room) = 2 AS has_rooms FROM record AS r"
                ) {
                    [
                        "\(try $0["has_rooms"] as Bool)", "\(try $0["number"] as Int)", try $0["last"] as String,
                    ]
                }
            }
            #expect(found == ["true", "2", "d"])
            let changed = try await database.write {
                try $0.first("UPDATE record SET room = 'x' WHERE id = 2 RETURNING id, room") {
                    (try $0["room"] as String, try $0["id"] as Int)
                }
            }
            #expect(changed?.0 == "x" && changed?.1 == 2)
        }
    }

    @Test(
        "a name that no column has, or two, is an error and not another column", arguments: TestDatabase.available)
    func mistakes(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Self.migrations) { database in
            let none = try await problem(in: database, "SELECT id, name FROM record") { try $0["given_name"] }
            #expect(none == .unexpectedValue("0 columns of the result are called “given_name”: id, name"))
            let partOfName = try await problem(in: database, "SELECT given_name FROM record") { try $0["name"] }
            #expect(partOfName == .unexpectedValue("0 columns of the result are called “name”: given_name"))
            let two = try await problem(
                in: database, "SELECT a.name, b.name FROM record AS a JOIN record AS b ON a.id = b.id"
            ) { try $0["name"] }
            #expect(two == .unexpectedValue("2 columns of the result are called “name”: name, name"))
        }
    }

    private func problem(
        in database: any Database, _ sql: String, _ read: @escaping @Sendable (Row) throws -> String
    ) async throws -> DatabaseError? {
        do {
            _ = try await database.read { try $0.all(sql, [], read) }
            return nil
        } catch let error as DatabaseError {
            return error
        }
    }
}
