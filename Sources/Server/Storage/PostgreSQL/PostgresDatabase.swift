import Foundation

/// PostgreSQL through libpq: a bounded pool, with one thread for each connection.
///
/// Writes are serializable and are repeated when they fail to serialize; reads see one snapshot. Reads and writes have
/// separate connections, so that reads continue while writes wait for a long one such as an import.
package final class PostgresDatabase: Database {
    package let dialect = Dialect.postgres

    private typealias Jobs = JobQueue<@Sendable (Result<PostgresConnection, any Error>) -> Void>

    private let connectionString: String
    private let lockTimeout: Duration?
    private let reads = Jobs()
    private let writes = Jobs()
    private let sessions = SessionThreads()
    private let threads: [WorkerThread]

    /// - Parameters:
    ///   - connectionString: as libpq takes it, `postgres://user@host/database?sslmode=verify-full`.
    ///   - connections: the size of the pool, half of it for reads. Transactions wait while all connections are busy.
    ///     Each session opens one more connection.
    ///   - lockTimeout: how long to wait for another transaction's lock; nil to wait without limit.
    /// - Throws: ``DatabaseError/unavailable(_:)`` if the server cannot be reached now.
    package init(connectionString: String, connections: Int = 8, lockTimeout: Duration? = nil) throws {
        self.connectionString = connectionString
        self.lockTimeout = lockTimeout
        // Opens one connection now, so that a wrong address is reported at start; the others open when they are needed.
        let connect: @Sendable () throws -> PostgresConnection = {
            try PostgresConnection(connectionString: connectionString, lockTimeout: lockTimeout)
        }
        let first = Owned(try connect())
        let ofEach = max(connections / 2, 1)
        let (reads, writes) = (reads, writes)
        threads =
            (0..<ofEach).map { index in
                Self.worker("postgres-read", reads, index == 0 ? first : nil, connect)
            }
            + (0..<ofEach).map { _ in Self.worker("postgres-write", writes, nil, connect) }
    }

    private static func worker(
        _ name: String, _ jobs: Jobs, _ first: Owned?, _ connect: @escaping @Sendable () throws -> PostgresConnection
    ) -> WorkerThread {
        WorkerThread(name: name) {
            var connection = first?.connection
            while let job = jobs.take(max: 1).first {
                job(
                    Result {
                        let usable = try connection ?? connect()
                        try usable.reconnectIfBroken()
                        connection = usable
                        return usable
                    })
            }
            connection?.close()
        }
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) async throws -> Value {
        try await onConnection(reads) { connection in
            try connection.transaction(writing: false) {
                try body(ReadTransaction(handle: ConnectionHandle(connection: connection)))
            }
        }
    }

    @discardableResult
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await onConnection(writes) { connection in
            try connection.transaction(writing: true) {
                try body(WriteTransaction(handle: ConnectionHandle(connection: connection)))
            }
        }
    }

    @discardableResult
    package func session<Value: Sendable>(
        _ body: @escaping @Sendable (DatabaseSession) throws -> Value
    ) async throws -> Value {
        let connectionString = connectionString
        return try await withCheckedThrowingContinuation { continuation in
            let accepted = sessions.start(name: "postgres-session") {
                continuation.resume(
                    with: Result {
                        // A new connection would not have the session's temporary tables.
                        let connection = try PostgresConnection(
                            connectionString: connectionString, mayReconnect: false)
                        defer { connection.close() }
                        return try body(DatabaseSession(connection: connection))
                    })
            }
            if !accepted { continuation.resume(throwing: DatabaseError.closed) }
        }
    }

    package func close() async {
        reads.close()
        writes.close()
        await sessions.close()
        for thread in threads { await thread.join() }
    }

    private func onConnection<Value: Sendable>(
        _ jobs: Jobs, _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        let (start, lockTimeout) = (ContinuousClock.now, lockTimeout)
        return try await withCheckedThrowingContinuation { continuation in
            let accepted = jobs.append { connection in
                continuation.resume(
                    with: Result {
                        // The time in the queue counts towards the lock timeout, so that nobody waits for it twice.
                        if let lockTimeout, start.duration(to: .now) > lockTimeout {
                            throw DatabaseError.busy("every connection waits for a lock")
                        }
                        return try body(connection.get())
                    })
            }
            if !accepted { continuation.resume(throwing: DatabaseError.closed) }
        }
    }

    /// Moves a connection to its thread. Safe because only that thread uses it afterwards.
    private struct Owned: @unchecked Sendable {
        let connection: PostgresConnection
        init(_ connection: PostgresConnection) { self.connection = connection }
    }
}

extension PostgresConnection {
    /// How often a transaction that fails to serialize, or for which there is no room, is tried before its caller gets the error.
    private static let attemptsMax = 40
    /// How often it is tried concurrently with others. Further attempts hold a lock and run one at a time, because a
    /// slow transaction might otherwise never succeed.
    private static let attemptsBesideOthers = 2
    /// The key of the advisory lock under which those further attempts run.
    private static let turnLock = 8_209_115

    /// Runs `body` in a transaction of its own: serializable when writing, one read-only snapshot otherwise.
    func transaction<Value>(writing: Bool, _ body: () throws -> Value) throws -> Value {
        var attempt = 1
        while true {
            do {
                return try tryTransaction(
                    writing: writing, inTurn: writing && attempt > Self.attemptsBesideOthers,
                    mayReconnect: mayReconnect && attempt == 1, body)
            } catch DatabaseError.notSerializable where attempt < Self.attemptsMax {
                // A random pause keeps the transactions that conflicted from meeting again.
                Thread.sleep(forTimeInterval: Double.random(in: 0...0.002) * Double(min(attempt, 8)))
                attempt += 1
            } catch DatabaseError.crowded where attempt < Self.attemptsMax {
                // There is room again when the long transaction has ended, so wait longer: all attempts take about ten
                // seconds.
                Thread.sleep(forTimeInterval: Double.random(in: 0.02...0.05) * Double(min(attempt, 8)))
                attempt += 1
            }
        }
    }

    private func tryTransaction<Value>(
        writing: Bool, inTurn: Bool, mayReconnect: Bool, _ body: () throws -> Value
    ) throws -> Value {
        // Taken before BEGIN, so that the snapshot includes what the previous holder has committed.
        if inTurn { try script("SELECT pg_advisory_lock(\(Self.turnLock))") }
        defer { if inTurn { try? script("SELECT pg_advisory_unlock(\(Self.turnLock))") } }
        let begin = writing ? "BEGIN ISOLATION LEVEL SERIALIZABLE" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        do {
            try script(begin)
        } catch DatabaseError.unavailable where mayReconnect {
            // The server has dropped the idle connection; this shows only when it is used.
            try reconnect()
            try script(begin)
        }
        do {
            let value = try body()
            try commit()
            return value
        } catch {
            try? script("ROLLBACK")
            throw error
        }
    }
}
