import Foundation

/// SQLite in one file: a pool of readers and one writer that commits waiting writes together.
///
/// Durable commits cost a write to the disk each. Writes that wait at the same moment therefore share
/// one: each runs in a savepoint of its own, so that one that fails does not fail its neighbours, and
/// all are answered after the common commit.
package final class SQLiteDatabase: Database {
    package let dialect = Dialect.sqlite

    private let path: String
    private let busyTimeout: Duration
    private let pagesMax: Int?
    private let reads = JobQueue<@Sendable (SQLiteConnection) -> Void>()
    private let writes = JobQueue<WriteJob>()
    private let sessions = SessionThreads()
    private let threads: [WorkerThread]
    /// The writer first. Only its thread touches a connection until that has ended.
    private let connections: [Owned]

    /// How many writes may share a commit: enough to hide the disk, few enough to answer the first soon.
    private static let batchMax = 64

    /// - Parameters:
    ///   - path: of the file, made if it is not there. `-wal` and `-shm` files appear beside it.
    ///   - readers: the number of reading threads, each with a connection of its own.
    ///   - busyTimeout: how long to wait for another process that writes.
    ///   - pagesMax: bounds the file to so many pages of 4 KiB; nil for no bound.
    package init(path: String, readers: Int = 4, busyTimeout: Duration = .seconds(60), pagesMax: Int? = nil) throws {
        self.path = path
        self.busyTimeout = busyTimeout
        self.pagesMax = pagesMax
        makeFile(at: path)
        // The writer opens first: it switches the file to WAL.
        let writer = Owned(try SQLiteConnection(path: path, role: .writer, busyTimeout: busyTimeout))
        if let pagesMax { try writer.connection.limit(pages: pagesMax) }
        let readerConnections = try (0..<readers).map { _ in
            Owned(try SQLiteConnection(path: path, role: .reader, busyTimeout: busyTimeout))
        }
        connections = [writer] + readerConnections
        let reads = reads
        let writes = writes
        threads =
            [
                WorkerThread(name: "sqlite-write") {
                    while true {
                        let batch = writes.take(max: Self.batchMax)
                        if batch.isEmpty { return }
                        WriteBatch(batch, on: writer.connection, busyTimeout: busyTimeout).run()
                    }
                }
            ]
            + readerConnections.map { reader in
                WorkerThread(name: "sqlite-read") {
                    while let job = reads.take(max: 1).first { job(reader.connection) }
                }
            }
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let accepted = reads.append { connection in
                continuation.resume(
                    with: Result {
                        try connection.transaction(writing: false) {
                            try body(ReadTransaction(handle: ConnectionHandle(connection: connection)))
                        }
                    })
            }
            if !accepted { continuation.resume(throwing: DatabaseError.closed) }
        }
    }

    @discardableResult
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let job = WriteJob(body) { continuation.resume(with: $0) }
            if !writes.append(job) { continuation.resume(throwing: DatabaseError.closed) }
        }
    }

    @discardableResult
    package func session<Value: Sendable>(
        _ body: @escaping @Sendable (DatabaseSession) throws -> Value
    ) async throws -> Value {
        let path = path
        let busyTimeout = busyTimeout
        let pagesMax = pagesMax
        return try await withCheckedThrowingContinuation { continuation in
            // A thread of its own: a session may take minutes and must not hold up anyone's reads.
            let accepted = sessions.start(name: "sqlite-session") {
                continuation.resume(
                    with: Result {
                        let connection = try SQLiteConnection(path: path, role: .session, busyTimeout: busyTimeout)
                        defer { connection.close() }
                        if let pagesMax { try connection.limit(pages: pagesMax) }
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
        let connections = connections
        // The writer last: of two that close at the same moment neither would take away the `-wal`.
        await WorkerThread(name: "sqlite-close") { for owned in connections.reversed() { owned.connection.close() } }
            .join()
    }

    /// Hands a connection to its thread; from then on nobody else touches it.
    private struct Owned: @unchecked Sendable {
        let connection: SQLiteConnection
        init(_ connection: SQLiteConnection) { self.connection = connection }
    }
}

/// Makes the file for its owner alone; `-wal` and `-shm` get the same mode from it. SQLite would ask the umask.
private func makeFile(at path: String) {
    // Only a new file is touched: to close one that SQLite has open lets go of SQLite's locks on it.
    let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    if descriptor >= 0 { _ = close(descriptor) }
}

extension SQLiteConnection {
    /// Runs `body` in a transaction of its own. A writing one takes the write lock at once, so that it
    /// cannot find out in its middle that another was faster.
    func transaction<Value>(writing: Bool, _ body: () throws -> Value) throws -> Value {
        _ = try run(writing ? "BEGIN IMMEDIATE" : "BEGIN", []) { _ in }
        do {
            let value = try body()
            _ = try run("COMMIT", []) { _ in }
            return value
        } catch {
            if !isAutocommitting { _ = try? run("ROLLBACK", []) { _ in } }
            throw error
        }
    }
}
