import Foundation
import Schema
import Storage

/// A database with Lanyard's schema and nothing in it, made for the first test that asks for it. To make the schema takes
/// much longer than to copy it, on SQLite as on PostgreSQL.
enum SchemaTemplate {
    /// What a SQLite file has in it.
    static let file = Once {
        let (location, remove) = try await TestDatabase.sqlite.makeEmpty()
        do {
            try await migrate(location)
            // The last connection that was closed has moved all of the write-ahead log into the file.
            let content = try Data(contentsOf: URL(fileURLWithPath: location))
            await remove()
            return content
        } catch {
            await remove()
            throw error
        }
    }

    /// The name of a database on the PostgreSQL server. It stays there: the server has to go with the tests.
    static let nameOnServer = Once {
        let name = try await TestDatabase.createOnServer("template")
        try await migrate(TestDatabase.location(onServer: name), addEraseFunction)
        return name
    }

    /// A function of the database on the PostgreSQL server, which deletes everything but the steps of the schema, lets
    /// numbers begin anew, and returns how many rows it has deleted.
    static let eraseFunction = "erase_all"

    private static func addEraseFunction(_ transaction: WriteTransaction) throws {
        func names(_ kind: String) throws -> [String] {
            try transaction.all(
                """
                SELECT relname FROM pg_class
                WHERE relnamespace = 'public'::regnamespace AND relkind = '\(kind)' AND relname <> 'schema_step'
                """
            ) { try $0[0] }
        }
        let deletions = try names("r").map { table in
            "DELETE FROM \(table); GET DIAGNOSTICS deleted = ROW_COUNT; total := total + deleted;"
        }
        let restarted = try names("S").map { "PERFORM setval('\($0)', 1, false);" }
        try transaction.execute(
            """
            CREATE FUNCTION \(eraseFunction)() RETURNS BIGINT LANGUAGE plpgsql AS $$
            DECLARE total BIGINT := 0; deleted BIGINT;
            BEGIN \((deletions + restarted).joined(separator: "\n")) RETURN total; END
            $$
            """)
    }

    private static func migrate(
        _ location: String, _ extend: @escaping @Sendable (WriteTransaction) throws -> Void = { _ in }
    ) async throws {
        let database = try openDatabase(at: location)
        do {
            try await database.migrate(Schema.migrations)
            try await database.write(extend)
            await database.close()
        } catch {
            await database.close()
            throw error
        }
    }
}

/// What is made once, however many ask for it at the same time.
actor Once<Value: Sendable> {
    private let make: @Sendable () async throws -> Value
    private var made: Task<Value, any Error>?

    init(_ make: @escaping @Sendable () async throws -> Value) { self.make = make }

    func value() async throws -> Value {
        let made = made ?? Task { [make] in try await make() }
        self.made = made
        return try await made.value
    }
}
