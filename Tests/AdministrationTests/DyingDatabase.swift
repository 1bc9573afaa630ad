import Storage
import Synchronization

/// A database whose process dies after so many transactions that write: with none, it can only be read.
final class DyingDatabase: Database {
    struct Died: Error {}

    private let database: any Database
    private let left: Mutex<Int>

    init(_ database: any Database, writes: Int) {
        self.database = database
        left = Mutex(writes)
    }

    var dialect: Dialect { database.dialect }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) async throws -> Value { try await database.read(body) }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value
    ) async throws -> Value {
        let isAlive = left.withLock { left in
            left -= 1
            return left >= 0
        }
        guard isAlive else { throw Died() }
        return try await database.write(body)
    }

    func session<Value: Sendable>(
        _ body: @escaping @Sendable (DatabaseSession) throws -> Value
    ) async throws -> Value {
        guard left.withLock({ $0 > 0 }) else { throw Died() }
        return try await database.session(body)
    }

    func close() async {}
}
