import Foundation

/// PostgreSQL through libpq: a bounded pool, one thread a connection.
///
/// Writes are serializable and are repeated when the server asks for it; reads see one snapshot.
package final class PostgresDatabase: Database {
    package let dialect = Dialect.postgres

    private let jobs = JobQueue<@Sendable (Result<PostgresConnection, any Error>) -> Void>()
    private let threads: [WorkerThread]

    /// - Parameters:
    ///   - connectionString: as libpq takes it, `postgres://user@host/database?sslmode=verify-full`.
    ///   - connections: the size of the pool; what comes while all are busy waits.
    /// - Throws: ``DatabaseError/unavailable(_:)`` if the server cannot be reached now.
    package init(connectionString: String, connections: Int = 8) throws {
        let jobs = jobs
        // One connection at once, so that a wrong address is told at start; the others when they are needed.
        let first = Owned(try PostgresConnection(connectionString: connectionString))
        threads = (0..<connections).map { index in
            WorkerThread(name: "postgres-\(index)") {
                var connection = index == 0 ? first.connection : nil
                while let job = jobs.take(max: 1).first {
                    job(
                        Result {
                            let usable = try connection ?? PostgresConnection(connectionString: connectionString)
                            try usable.reconnectIfBroken()
                            connection = usable
                            return usable
                        })
                }
            }
        }
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) async throws -> Value {
        try await onConnection { connection in
            try connection.transaction(writing: false) {
                try body(ReadTransaction(handle: ConnectionHandle(connection: connection)))
            }
        }
    }

    @discardableResult
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await onConnection { connection in
            try connection.transaction(writing: true) {
                try body(WriteTransaction(handle: ConnectionHandle(connection: connection)))
            }
        }
    }

    @discardableResult
    package func session<Value: Sendable>(
        _ body: @escaping @Sendable (Session) throws -> Value
    ) async throws -> Value {
        try await onConnection { connection in
            defer { try? connection.discardTemporaries() }
            return try body(
                Session(connection: connection) { connection, writing, body in
                    // The session was made with a PostgreSQL connection two lines above.
                    try (connection as! PostgresConnection).transaction(writing: writing, body)
                })
        }
    }

    package func close() async {
        jobs.close()
        for thread in threads { await thread.join() }
    }

    private func onConnection<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let accepted = jobs.append { connection in
                continuation.resume(with: Result { try body(connection.get()) })
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
        for attempt in 1... {
            // The lock comes before BEGIN, so that the snapshot is made when the rival is done.
            let waitsItsTurn = writing && attempt > Self.attemptsBesideOthers
            if waitsItsTurn { try script("SELECT pg_advisory_lock(\(Self.turnLock))") }
            defer { if waitsItsTurn { try? script("SELECT pg_advisory_unlock(\(Self.turnLock))") } }
            try script(
                writing ? "BEGIN ISOLATION LEVEL SERIALIZABLE" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            do {
                let value = try body()
                try script("COMMIT")
                return value
            } catch {
                try? script("ROLLBACK")
                guard case .notSerializable = error as? DatabaseError, attempt < Self.attemptsMax else { throw error }
                // A random pause lets the transactions that met each other part.
                Thread.sleep(forTimeInterval: Double.random(in: 0...0.002) * Double(min(attempt, 8)))
            }
        }
        fatalError("the loop above has no end")
    }
}
