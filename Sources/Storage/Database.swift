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
        _ body: @escaping @Sendable (Session) throws -> Value
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
/// - Parameter location: `postgres://…` (a libpq connection string) or the path of a SQLite file.
package func openDatabase(at location: String) throws -> any Database {
    if namesServer(location) {
        return try PostgresDatabase(connectionString: location)
    }
    return try SQLiteDatabase(path: location)
}
