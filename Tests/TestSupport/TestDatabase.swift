import Foundation
import Schema
import Storage

/// The databases that tests run on. PostgreSQL is included if `LANYARD_TEST_POSTGRES` has the URL of a server; `make
/// test` starts a private one.
package enum TestDatabase: String, CaseIterable, Sendable, CustomStringConvertible {
    case sqlite
    case postgres

    package static var available: [TestDatabase] {
        allCases.filter { $0 == .sqlite || postgresURL != nil }
    }

    package static var postgresURL: String? {
        ProcessInfo.processInfo.environment["LANYARD_TEST_POSTGRES"]
    }

    /// Whether the server goes with the tests, as that of `scripts/with-postgres` does.
    private static var isServerPrivate: Bool {
        ProcessInfo.processInfo.environment["LANYARD_TEST_POSTGRES_IS_PRIVATE"] != nil
    }

    package var description: String { rawValue }
}

extension TestDatabase {
    /// Runs `body` on an empty database and removes it afterwards.
    /// - Parameter migrations: the schema; nil for Lanyard's own, which is made once and copied for each test.
    @discardableResult
    package func with<Value>(
        migrations: [Migration]? = nil,
        _ body: (any Database) async throws -> Value
    ) async throws -> Value {
        if self == .postgres, migrations == nil, Self.isServerPrivate { return try await LentDatabase.lend(body) }
        let (location, remove) = try await migrations == nil ? makeWithSchema() : makeEmpty()
        let database: any Database
        do {
            database = try openDatabase(at: location)
        } catch {
            await remove()
            throw error
        }
        do {
            try await database.migrate(migrations ?? Schema.migrations)
            let value = try await body(database)
            try await Self.checkWhole(database)
            await database.close()
            await remove()
            return value
        } catch {
            await database.close()
            await remove()
            throw error
        }
    }

    /// Checks that `lanyard doctor` would not report the file as damaged, whatever the test has done.
    private static func checkWhole(_ database: any Database) async throws {
        guard database.dialect == .sqlite else { return }
        do {
            let damage = try await database.read { try $0.damage() }
            guard damage.isEmpty else { throw Damaged(damage: damage) }
        } catch DatabaseError.closed {
            // The test has closed the database itself.
        }
    }

    private struct Damaged: Error { let damage: [String] }

    /// Where a database is, and a function that removes it.
    package typealias Made = (location: String, remove: @Sendable () async -> Void)

    package func makeEmpty() async throws -> Made {
        switch self {
        case .sqlite: try Self.makeFile(with: nil)
        case .postgres: try await Self.makeOnServer()
        }
    }

    /// A copy of what was made once, or an empty database where nothing may be kept to copy from.
    private func makeWithSchema() async throws -> Made {
        switch self {
        case .sqlite: try Self.makeFile(with: await SchemaTemplate.file.value())
        case .postgres: try await makeEmpty()
        }
    }

    private static func makeFile(with content: Data?) throws -> Made {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lanyard-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("lanyard.sqlite")
        do {
            try content?.write(to: file)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
        return (file.path, { try? FileManager.default.removeItem(at: folder) })
    }

    private static func makeOnServer() async throws -> Made {
        await Slots.postgres.take()
        do {
            let name = try await createOnServer("test")
            return (
                try location(onServer: name),
                {
                    try? await dropOnServer(name)
                    await Slots.postgres.giveBack()
                }
            )
        } catch {
            await Slots.postgres.giveBack()
            throw error
        }
    }

    /// - Returns: its name: the prefix, and what nothing else on the server is called.
    static func createOnServer(_ prefix: String, copying template: String? = nil) async throws -> String {
        let name = "\(prefix)_\(UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: ""))"
        // Copying the template's files takes about half of the time that writing each page to the log takes.
        try await administer("CREATE DATABASE \(name) TEMPLATE \(template ?? "template1") STRATEGY FILE_COPY")
        return name
    }

    static func dropOnServer(_ name: String) async throws { try await administer("DROP DATABASE \(name) WITH (FORCE)") }

    static func location(onServer name: String) throws -> String {
        var components = URLComponents(string: try server())!  // libpq has accepted it
        components.path = "/" + name
        return components.string!
    }

    private static func server() throws -> String {
        guard let postgresURL else { throw DatabaseError.unavailable("LANYARD_TEST_POSTGRES is not set") }
        return postgresURL
    }

    private static func administer(_ command: String) async throws {
        // CREATE DATABASE cannot run in a transaction, so use a session's script.
        let database = try PostgresDatabase(connectionString: server(), connections: 1)
        do {
            try await database.session { try $0.script(command) }
            await database.close()
        } catch {
            await database.close()
            throw error
        }
    }
}

/// Limits how many databases tests use at the same time, because each takes up to eight of the server's connections.
actor Slots {
    static let postgres = Slots(5)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func giveBack() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
