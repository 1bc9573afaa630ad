import Storage
import Synchronization

/// A database that a test takes away from a running server and gives another in its place, so that one server does for
/// the databases of many cases. Nothing may be asked of the server meanwhile.
final class SwitchedDatabase: Database {
    private let current: Mutex<any Database>

    init(_ first: any Database) { current = Mutex(first) }

    /// Runs `body` with another database, and puts back the one before.
    func with(_ other: any Database, _ body: () async throws -> Void) async throws {
        let before = replace(by: other)
        defer { _ = replace(by: before) }
        try await body()
    }

    private func replace(by other: any Database) -> any Database {
        current.withLock { current in
            let before = current
            current = other
            return before
        }
    }

    private var now: any Database { current.withLock { $0 } }

    var dialect: Dialect { now.dialect }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) async throws -> Value { try await now.read(body) }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value
    ) async throws -> Value { try await now.write(body) }

    func session<Value: Sendable>(
        _ body: @escaping @Sendable (DatabaseSession) throws -> Value
    ) async throws -> Value { try await now.session(body) }

    /// Whoever has made the databases closes them.
    func close() async {}
}
