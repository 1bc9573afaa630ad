/// One SQL database, SQLite or PostgreSQL.
///
/// A transaction is a *synchronous* closure that runs on the connection's own thread, so that the same closure works on
/// SQLite and on PostgreSQL and never blocks a thread of Swift's cooperative pool. Callers `await` it.
///
/// A closure may run more than once: PostgreSQL asks for a transaction to be repeated when it failed to serialize, and
/// on SQLite several transactions share one commit, so that one that fails can roll the others back with it. Closures
/// therefore change nothing outside the transaction; they return what they found.
package protocol Database: Sendable {
    var dialect: Dialect { get }

    /// Runs `body` on one consistent snapshot, which cannot be written to.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) async throws -> Value

    /// Runs `body` in a transaction and returns when it is durable. If `body` throws, everything is rolled back.
    @discardableResult
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value
    ) async throws -> Value

    /// Runs `body` with a connection of its own, for work that spans several transactions and uses temporary tables.
    /// The connection and its temporary tables are gone when `body` returns.
    @discardableResult
    func session<Value: Sendable>(
        _ body: @escaping @Sendable (DatabaseSession) throws -> Value
    ) async throws -> Value

    /// Runs the transactions that are queued, then closes every connection. The database cannot be used afterwards.
    func close() async
}

package enum Dialect: String, Sendable, CaseIterable {
    case sqlite
    case postgres
}

/// Opens the database that a location names.
///
/// - Parameters:
///   - location: `postgres://…` (a libpq connection string) or the path of a SQLite file.
///   - use: who waits for the results; decides how long to wait for a lock, and how many read at the same time.
package func openDatabase(at location: String, for use: DatabaseUse = .commands) throws -> any Database {
    if namesServer(location) {
        return try PostgresDatabase(connectionString: location, lockTimeout: use == .requests ? use.patience : nil)
    }
    return try SQLiteDatabase(path: location, readers: use.readers, busyTimeout: use.patience)
}

/// Who uses a database, which decides how long to wait while another process or transaction holds the write lock, and
/// how many connections read from a file.
package enum DatabaseUse: Sendable {
    /// A person at a terminal, who prefers waiting to starting again: 60 seconds.
    case commands
    /// Clients of a server, which give up on a late response and hold a connection while they wait: 8 seconds. That is
    /// long enough for an import of a million records to be applied.
    case requests

    fileprivate var patience: Duration {
        switch self {
        case .commands: .seconds(60)
        case .requests: .seconds(8)
        }
    }

    /// Commands ask one thing after the other. Each connection reads the whole schema when it is opened, which takes 3 ms
    /// of the 85 that a command takes.
    fileprivate var readers: Int {
        switch self {
        case .commands: 1
        case .requests: 4
        }
    }
}
