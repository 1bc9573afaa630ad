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
        try await migrate(TestDatabase.location(onServer: name))
        return name
    }

    private static func migrate(_ location: String) async throws {
        let database = try openDatabase(at: location)
        do {
            try await database.migrate(Schema.migrations)
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
