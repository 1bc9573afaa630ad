import Storage

/// A database on PostgreSQL that is lent to one test after the other, with its connections.
///
/// To make a database, connect to it and plan each statement anew takes PostgreSQL longer than most tests do. So what a
/// test has written is deleted after it, and the next test gets the same connections, which know their statements.
struct LentDatabase {
    private let name: String
    private let database: any Database
    /// A connection of its own for deleting, on which no trigger runs and no reference is checked.
    private let eraser: any Database
    /// What describes the tables, as it was in the beginning.
    private let schema: SchemaSum
    private var uses = 0

    /// Deleted rows stay in the files for a while, and each query passes them.
    private static let usesMax = 40
    private static let deletedRowsMax = 5_000

    /// Runs `body` on a database with Lanyard's schema and nothing in it.
    static func lend<Value>(_ body: (any Database) async throws -> Value) async throws -> Value {
        await Slots.postgres.take()
        do {
            let value = try await lendWithSlot(body)
            await Slots.postgres.giveBack()
            return value
        } catch {
            await Slots.postgres.giveBack()
            throw error
        }
    }

    private static func lendWithSlot<Value>(_ body: (any Database) async throws -> Value) async throws -> Value {
        var lent = if let free = await shelf.take() { free } else { try await make() }
        let guarded = GuardedDatabase(lent.database)
        do {
            let value = try await body(guarded)
            // Whatever a test has begun and not waited for must not reach the next one.
            await guarded.close()
            if try await lent.erase() { await shelf.put(lent) } else { await lent.remove() }
            return value
        } catch {
            await guarded.close()
            await lent.remove()
            throw error
        }
    }

    private static let shelf = Shelf()

    /// The databases that are not lent stand here.
    private actor Shelf {
        private var free: [LentDatabase] = []
        func take() -> LentDatabase? { free.popLast() }
        func put(_ lent: LentDatabase) { free.append(lent) }
    }

    private static func make() async throws -> LentDatabase {
        let name = try await TestDatabase.createOnServer("lent", copying: SchemaTemplate.nameOnServer.value())
        let location = try TestDatabase.location(onServer: name)
        let eraser = try openDatabase(at: location + "?options=-c%20session_replication_role%3Dreplica")
        return try await LentDatabase(
            name: name, database: openDatabase(at: location), eraser: eraser, schema: eraser.read(SchemaSum.init))
    }

    /// Deletes what a test has written.
    /// - Returns: whether the database is as good as a new one.
    private mutating func erase() async throws -> Bool {
        uses += 1
        guard uses < Self.usesMax else { return false }
        let schema = schema
        return try await eraser.write { transaction in
            // PostgreSQL would note that all tables were read, and hold it against the next test.
            try transaction.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            let rows: Int = try transaction.first("SELECT \(SchemaTemplate.eraseFunction)()") { try $0[0] } ?? .max
            return try rows <= Self.deletedRowsMax && SchemaSum(transaction.reading) == schema
        }
    }

    private func remove() async {
        await database.close()
        await eraser.close()
        try? await TestDatabase.dropOnServer(name)
    }
}

/// How many rows of PostgreSQL's catalogs describe the tables, and the sum of the transactions that wrote them: it changes
/// with each change of the schema.
private struct SchemaSum: Equatable {
    private let catalogs: [String: [Int]]

    init(_ transaction: ReadTransaction) throws {
        let tables = "SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        let sum = "CAST(SUM(CAST(CAST(xmin AS TEXT) AS BIGINT)) AS BIGINT)"
        let described = [
            "pg_class": "oid", "pg_attribute": "attrelid", "pg_trigger": "tgrelid", "pg_constraint": "conrelid",
        ]
        var catalogs: [String: [Int]] = [:]
        for (catalog, table) in described {
            catalogs[catalog] = try transaction.first(
                "SELECT COUNT(*), \(sum) FROM \(catalog) WHERE \(table) IN (\(tables))"
            ) { try [$0[0], $0[1]] }
        }
        self.catalogs = catalogs
    }
}

/// Passes everything on to another database until it is closed. Then it waits for what has begun, and refuses what comes
/// later, while the other database stays open.
private actor GuardedDatabase: Database {
    nonisolated let dialect: Dialect
    private nonisolated let database: any Database
    private var running = 0
    private var isClosed = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ database: any Database) {
        dialect = database.dialect
        self.database = database
    }

    nonisolated func read<Value: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) async throws -> Value {
        try await run { try await self.database.read(body) }
    }

    @discardableResult
    nonisolated func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await run { try await self.database.write(body) }
    }

    @discardableResult
    nonisolated func session<Value: Sendable>(
        _ body: @escaping @Sendable (DatabaseSession) throws -> Value
    ) async throws -> Value {
        try await run { try await self.database.session(body) }
    }

    func close() async {
        isClosed = true
        guard running > 0 else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    private nonisolated func run<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await begin()
        do {
            let value = try await body()
            await end()
            return value
        } catch {
            await end()
            throw error
        }
    }

    private func begin() throws {
        guard !isClosed else { throw DatabaseError.closed }
        running += 1
    }

    private func end() {
        running -= 1
        guard running == 0 else { return }
        for one in waiting { one.resume() }
        waiting = []
    }
}
