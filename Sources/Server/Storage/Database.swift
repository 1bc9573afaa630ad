/// One SQL database, whichever it is.
///
/// Storage knows SQL and nothing of schools. A transaction is a *synchronous* closure that runs on
/// the connection's own thread, so that the same closure works on SQLite and on PostgreSQL and never
/// holds a thread of the cooperative pool. Callers `await` it.
///
/// A closure may run more than once: PostgreSQL asks for a transaction to be repeated when it failed
/// to serialize, SQLite when a neighbour's failure took the whole batch with it. Closures therefore
/// change nothing outside the transaction; they return what they found.
package protocol Database: Sendable {
    var dialect: Dialect { get }

    /// Runs `body` on one consistent snapshot, which cannot be written to.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) async throws -> Value

    /// Runs `body` in a transaction and returns after it is durable. If `body` throws, nothing of it stays.
    @discardableResult
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value
    ) async throws -> Value

    /// Lends one connection of its own for longer work over several transactions, with temporary
    /// tables that are gone at its end.
    @discardableResult
    func session<Value: Sendable>(
        _ body: @escaping @Sendable (DatabaseSession) throws -> Value
    ) async throws -> Value

    /// Finishes what is waiting and closes every connection. The database is not used afterwards.
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
///   - use: who waits for its answers.
package func openDatabase(at location: String, for use: DatabaseUse = .commands) throws -> any Database {
    if namesServer(location) {
        return try PostgresDatabase(connectionString: location, lockTimeout: use == .requests ? use.patience : nil)
    }
    return try SQLiteDatabase(path: location, busyTimeout: use.patience)
}

/// How long whoever uses a database waits for others that write.
package enum DatabaseUse: Sendable {
    /// Of a person at a terminal, who rather waits than begins anew.
    case commands
    /// Of clients of a server: an answer that comes too late is none, and those who wait hold connections. Long enough for
    /// an import of a million records to be applied.
    case requests

    fileprivate var patience: Duration {
        switch self {
        case .commands: .seconds(60)
        case .requests: .seconds(8)
        }
    }
}
