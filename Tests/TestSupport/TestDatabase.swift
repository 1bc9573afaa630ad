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

    package var description: String { rawValue }
}

extension TestDatabase {
    /// Runs `body` on an empty database and removes it afterwards.
    /// - Parameter migrations: the schema; Lanyard's own by default.
    @discardableResult
    package func with<Value>(
        migrations: [Migration] = Schema.migrations,
        _ body: (any Database) async throws -> Value
    ) async throws -> Value {
        let (location, remove) = try await makeEmpty()
        let database: any Database
        do {
            database = try openDatabase(at: location)
        } catch {
            await remove()
            throw error
        }
        do {
            try await database.migrate(migrations)
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

    /// Makes an empty database; returns its location and a function that removes it.
    package func makeEmpty() async throws -> (location: String, remove: @Sendable () async -> Void) {
        switch self {
        case .sqlite:
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lanyard-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            return (
                folder.appendingPathComponent("lanyard.sqlite").path,
                { try? FileManager.default.removeItem(at: folder) }
            )
        case .postgres:
            guard let server = Self.postgresURL else {
                throw DatabaseError.unavailable("LANYARD_TEST_POSTGRES is not set")
            }
            let name = "test_" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "")
            await Slots.postgres.take()
            do {
                try await Self.administer(server, "CREATE DATABASE \(name)")
            } catch {
                await Slots.postgres.giveBack()
                throw error
            }
            var components = URLComponents(string: server)!  // libpq accepted it above
            components.path = "/" + name
            return (
                components.string!,
                {
                    try? await Self.administer(server, "DROP DATABASE \(name) WITH (FORCE)")
                    await Slots.postgres.giveBack()
                }
            )
        }
    }

    private static func administer(_ server: String, _ command: String) async throws {
        // CREATE DATABASE cannot run in a transaction, so use a session's script.
        let database = try PostgresDatabase(connectionString: server, connections: 1)
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
private actor Slots {
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
