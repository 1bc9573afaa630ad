import Foundation
import Storage
import Synchronization
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

    @Test("requests that come one after the other share a connection, which knows their statements")
    func sharedConnection() async throws {
        try await TestDatabase.postgres.with(migrations: DatabaseTests.notes) { database in
            var uses: [Int: Int] = [:]
            for _ in 0..<60 {
                let server: Int = try await database.read { try $0.first("SELECT pg_backend_pid()") { try $0[0] } } ?? 0
                uses[server, default: 0] += 1
                try await Task.sleep(for: .milliseconds(2))
            }
            // Now and then one is asked for before the thread of the last one is ready for it.
            #expect(uses.values.max() ?? 0 > 30, "\(uses)")
        }
    }

    @Test("a statement whose way depends on its values is planned at each run, and finds the same")
    func plannedEachTime() async throws {
        try await TestDatabase.postgres.with(migrations: DatabaseTests.notes) { database in
            try await database.write { try $0.execute("INSERT INTO note (id, body) VALUES (1, 'oak'), (2, 'elm')") }
            try await database.read { transaction in
                // The server keeps a way for all values after five runs.
                for round in 0..<8 {
                    for planning in [Planning.once, .eachTime] {
                        let found = try transaction.all(
                            "SELECT id, '\(planning)' AS planned FROM note WHERE body LIKE $1 AND id > $2",
                            [round.isMultiple(of: 2) ? "%oa%" : "%lm%", 0], planned: planning
                        ) { try $0["id"] as Int }
                        #expect(found == [round.isMultiple(of: 2) ? 1 : 2])
                    }
                }
                let kept = try transaction.all("SELECT statement FROM pg_prepared_statements") { try $0[0] as String }
                #expect(kept.contains { $0.contains("'once' AS planned") })
                #expect(!kept.contains { $0.contains("'eachTime' AS planned") })
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

    @Test(
        "trouble of the server that may pass is told as such, and what is our fault is not",
        arguments: [
            ("25006", true), ("0A000", true), ("57014", true), ("57P01", true), ("53100", true), ("53200", true),
            ("53300", true), ("58030", true), ("58P01", true), ("08006", true), ("40001", true), ("42P01", false),
            ("42601", false), ("23505", false), ("XX000", false),
        ])
    func troubleThatMayPass(code: String, mayPass: Bool) async throws {
        try await TestDatabase.postgres.with { database in
            await #expect {
                try await database.session { session in
                    try session.script("DO $$ BEGIN RAISE EXCEPTION 'trouble' USING ERRCODE = '\(code)'; END $$")
                }
            } throws: { error in
                (error as? DatabaseError)?.mayPass == mayPass
            }
        }
    }

    @Test("a transaction for which the server has no room is tried again, and is done once")
    func crowded() async throws {
        try await TestDatabase.postgres.with(migrations: DatabaseTests.notes) { database in
            let attempts = Mutex(0)
            try await database.write { transaction in
                try transaction.execute("INSERT INTO note (id, body) VALUES (1, 'a')")
                let attempt = attempts.withLock { count in
                    count += 1
                    return count
                }
                if attempt < 4 {
                    try transaction.execute(
                        "DO $$ BEGIN RAISE EXCEPTION 'out of shared memory' USING ERRCODE = '53200'; END $$")
                }
            }
            #expect(attempts.withLock { $0 } == 4)
            let count: Int? = try await database.read { try $0.first("SELECT COUNT(*) FROM note") { try $0[0] } }
            #expect(count == 1)
        }
    }

    @Test(
        "who waits too long for a lock hears that it is busy, and so do all who stand behind, together")
    func lockTimeout() async throws {
        let (location, remove) = try await TestDatabase.postgres.makeEmpty()
        let holder = try PostgresDatabase(connectionString: location, connections: 2)
        let database = try PostgresDatabase(
            connectionString: location, connections: 2, lockTimeout: .milliseconds(300))
        try await holder.migrate(DatabaseTests.notes)
        try await holder.write { try $0.execute("INSERT INTO note (id, body) VALUES (1, 'a')") }
        let (started, signal) = AsyncStream.makeStream(of: Void.self)
        let mayEnd = DispatchSemaphore(value: 0)
        async let held: Void = holder.write { transaction in
            try transaction.execute("UPDATE note SET body = 'b' WHERE id = 1")
            signal.yield()
            mayEnd.wait()
        }
        for await _ in started { break }
        let reasons = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do {
                        try await database.write { try $0.execute("UPDATE note SET body = 'c' WHERE id = 1") }
                        return nil
                    } catch {
                        if case .busy(let reason) = error as? DatabaseError { return reason } else { return nil }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        // The first one waited at the server. Those behind it had then waited as long, and did not start waiting anew.
        #expect(!reasons.contains(nil))
        #expect(reasons.count { $0 != "every connection waits for a lock" } < reasons.count / 2)
        mayEnd.signal()
        try await held
        await holder.close()
        await database.close()
        await remove()
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
