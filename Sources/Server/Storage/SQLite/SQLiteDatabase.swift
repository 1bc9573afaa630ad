import Foundation

/// SQLite in one file: a pool of readers, and one writer that commits queued writes together.
///
/// Each durable commit costs a write to the disk. Writes that are queued at the same time therefore share one commit:
/// each runs in a savepoint of its own, so that one that fails does not fail the others, and all callers get their
/// result after the common commit.
package final class SQLiteDatabase: Database {
    package let dialect = Dialect.sqlite

    private let path: String
    private let busyTimeout: Duration
    private let pagesMax: Int?
    private let reads = JobQueue<@Sendable (SQLiteConnection) -> Void>()
    private let writes = JobQueue<WriteJob>()
    private let sessions = SessionThreads()
    private let threads: [WorkerThread]
    /// The writer is first. Each connection is used by its own thread only, until that thread has ended.
    private let connections: [Owned]

    /// How many writes may share a commit: enough to spread the cost of the disk, few enough that the first one does
    /// not wait long.
    private static let batchMax = 64

    /// - Parameters:
    ///   - path: of the file, which is created if it does not exist. SQLite puts `-wal` and `-shm` files beside it.
    ///   - readers: the number of reading threads, each with a connection of its own.
    ///   - busyTimeout: how long to wait for another process that writes.
    ///   - pagesMax: limits the size of the file, in pages of 4 KiB; nil for no limit.
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
            // A session has its own thread, because it may take minutes and must not delay reads.
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
        // One after the other, because of two connections that close at the same moment neither may remove the `-wal`.
        await WorkerThread(name: "sqlite-close") { for owned in connections.reversed() { owned.connection.close() } }
            .join()
    }

    /// Moves a connection to its thread. Safe because only that thread uses it afterwards.
    private struct Owned: @unchecked Sendable {
        let connection: SQLiteConnection
        init(_ connection: SQLiteConnection) { self.connection = connection }
    }
}

/// Creates the file so that only its owner can read it; SQLite would use the umask. `-wal` and `-shm` get the mode of
/// this file.
private func makeFile(at path: String) {
    // Only a new file is opened here: closing any descriptor of a file that SQLite has open would release SQLite's
    // locks.
    let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    if descriptor >= 0 { _ = close(descriptor) }
}

extension SQLiteConnection {
    /// Runs `body` in a transaction of its own. A writing one takes the write lock at the beginning, so that it cannot
    /// fail later because another connection has it.
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
