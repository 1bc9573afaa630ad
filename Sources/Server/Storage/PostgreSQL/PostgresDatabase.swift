import Foundation

/// PostgreSQL through libpq: a bounded pool, one thread a connection.
///
/// Writes are serializable and are repeated when the server asks for it; reads see one snapshot. Each have
/// connections of their own, so that reads go on while writes wait for a long one, an import for example.
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
    ///   - connections: the size of the pool, half of it for reads; what comes while all are busy waits. Each
    ///     session has one more.
    ///   - lockTimeout: how long to wait for another transaction's lock; nil for as long as it takes.
    /// - Throws: ``DatabaseError/unavailable(_:)`` if the server cannot be reached now.
    package init(connectionString: String, connections: Int = 8, lockTimeout: Duration? = nil) throws {
        self.connectionString = connectionString
        self.lockTimeout = lockTimeout
        // One connection at once, so that a wrong address is told at start; the others when they are needed.
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
                        // Who stands behind others that wait for a lock does not wait as long again.
                        if let lockTimeout, start.duration(to: .now) > lockTimeout {
                            throw DatabaseError.busy("every connection waits for a lock")
                        }
                        return try body(connection.get())
                    })
            }
            if !accepted { continuation.resume(throwing: DatabaseError.closed) }
        }
    }

    /// Hands a connection to its thread; from then on nobody else touches it.
    private struct Owned: @unchecked Sendable {
        let connection: PostgresConnection
        init(_ connection: PostgresConnection) { self.connection = connection }
    }
}

extension PostgresConnection {
    /// How often a transaction that failed to serialize is repeated before its caller hears of it.
    private static let attemptsMax = 40
    /// So many times it is tried beside the others; then one after the other, or the slow ones would never get through.
    private static let attemptsBesideOthers = 2
    /// The advisory lock of those who wait their turn.
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
                // A random pause lets the transactions that met each other part.
                Thread.sleep(forTimeInterval: Double.random(in: 0...0.002) * Double(min(attempt, 8)))
                attempt += 1
            }
        }
    }

    private func tryTransaction<Value>(
        writing: Bool, inTurn: Bool, mayReconnect: Bool, _ body: () throws -> Value
    ) throws -> Value {
        // The lock comes before BEGIN, so that the snapshot is made when the rival is done.
        if inTurn { try script("SELECT pg_advisory_lock(\(Self.turnLock))") }
        defer { if inTurn { try? script("SELECT pg_advisory_unlock(\(Self.turnLock))") } }
        let begin = writing ? "BEGIN ISOLATION LEVEL SERIALIZABLE" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        do {
            try script(begin)
        } catch DatabaseError.unavailable where mayReconnect {
            // The server dropped the connection while it was idle; only using it shows that.
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
