import Foundation
import Storage
import TestSupport
import Testing

@Suite(.enabled(if: TestDatabase.postgresURL != nil, "set LANYARD_TEST_POSTGRES, or run `make test`"))
struct PostgresDatabaseTests {
    @Test("connections that the server dropped fail no transaction")
    func dropped() async throws {
        try await TestDatabase.postgres.with(migrations: DatabaseTests.notes) { database in
            for round in 0..<8 {
                try await database.write { try $0.execute("INSERT INTO note (id, body) VALUES ($1, 'a')", [round]) }
                let count = try await database.noteCount()
                #expect(count == round + 1)
                try await database.session { session in
                    try session.script(
                        """
                        SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                        WHERE datname = current_database() AND pid <> pg_backend_pid()
                        """)
                }
            }
        }
    }

    @Test("a session whose connection was dropped says so: its temporary tables are gone")
    func droppedSession() async throws {
        try await TestDatabase.postgres.with(migrations: DatabaseTests.notes) { database in
            await #expect {
                try await database.session { session in
                    try session.script("SELECT pg_terminate_backend(pg_backend_pid())")
                    try session.read { _ in }
                }
            } throws: { error in
                if case .unavailable = error as? DatabaseError { true } else { false }
            }
        }
    }

    @Test("a refused value is not quoted: messages reach logs")
    func terse() async throws {
        try await TestDatabase.postgres.with(migrations: DatabaseTests.notes) { database in
            await #expect {
                try await database.write {
                    try $0.execute("INSERT INTO note (id, body, mark) VALUES (NULL, 'Nadia Okoye', NULL)")
                }
            } throws: { error in
                !"\(error)".contains("Nadia")
            }
        }
    }
}
