/// A connection of either driver.
protocol Connection: AnyObject {
    var dialect: Dialect { get }
    /// Runs `sql`, calls `body` with each row, and returns the number of rows changed.
    func run(
        _ sql: String, _ parameters: [any SQLConvertible], planned: Planning, _ body: (Row) throws -> Void
    ) throws -> Int
    /// Runs one or more statements without parameters.
    func script(_ sql: String) throws
    /// Runs `body` in a transaction of its own, and repeats it if it fails to serialize. If `body` throws, everything
    /// is rolled back.
    func transaction<Value>(writing: Bool, _ body: () throws -> Value) throws -> Value
    func bulkInsert(
        into table: String, columns: [String], _ fill: (inout BulkWriter) throws -> Void
    ) throws
}

extension Connection {
    func run(_ sql: String, _ parameters: [any SQLConvertible], _ body: (Row) throws -> Void) throws -> Int {
        try run(sql, parameters, planned: .once, body)
    }
}

/// When PostgreSQL chooses the way in which it carries out a statement. SQLite chooses it once, whatever is asked for.
package enum Planning: Sendable {
    /// After a few runs, for all values that the parameters will ever have. That is right for nearly all statements.
    case once
    /// At each run, for the values that it has. It takes about as long as reading a few rows, and pays where the best
    /// way depends on the values, as for a pattern that nothing or nearly everything fits.
    case eachTime
}

/// A value handed to the closure of ``Database/read(_:)`` or ``Database/write(_:)``; it must not be used after the
/// closure returns.
package protocol Transaction: SendableMetatype {
    var handle: ConnectionHandle { get }
}

/// Wraps ``Connection``, which is internal to this module, so that ``Transaction`` can be used by others.
package struct ConnectionHandle {
    let connection: any Connection
}

package struct ReadTransaction: Transaction {
    package let handle: ConnectionHandle
}

package struct WriteTransaction: Transaction {
    package let handle: ConnectionHandle

    /// Runs a statement that returns no rows.
    /// - Returns: the number of rows inserted, updated or deleted.
    @discardableResult
    package func execute(_ sql: String, _ parameters: [any SQLConvertible] = []) throws -> Int {
        try handle.connection.run(sql, parameters) { _ in }
    }

    /// Runs `body` so that, if it throws, what it has written is rolled back, and nothing else of the transaction.
    /// - Throws: what `body` throws. An error of the database ends the whole transaction nevertheless: let it pass.
    package func attempt<Value>(_ body: () throws -> Value) throws -> Value {
        try execute("SAVEPOINT attempt")
        do {
            let value = try body()
            try execute("RELEASE SAVEPOINT attempt")
            return value
        } catch let error as DatabaseError {
            throw error
        } catch {
            try execute("ROLLBACK TO SAVEPOINT attempt")
            try execute("RELEASE SAVEPOINT attempt")
            throw error
        }
    }
}

extension Transaction {
    /// The same transaction, for what only reads.
    package var reading: ReadTransaction { ReadTransaction(handle: handle) }

    package var dialect: Dialect { handle.connection.dialect }

    /// The first row, converted by `map`; nil if there is none.
    package func first<Value>(
        _ sql: String, _ parameters: [any SQLConvertible] = [], _ map: (Row) throws -> Value
    ) throws -> Value? {
        var value: Value?
        _ = try handle.connection.run(sql, parameters) { row in
            if value == nil { value = try map(row) }
        }
        return value
    }

    /// All rows, converted by `map`. They are all held in memory, so read large results page by page.
    package func all<Value>(
        _ sql: String, _ parameters: [any SQLConvertible] = [], planned: Planning = .once,
        _ map: (Row) throws -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        _ = try handle.connection.run(sql, parameters, planned: planned) { values.append(try map($0)) }
        return values
    }

    /// Calls `body` with each row. With PostgreSQL the whole result is in memory meanwhile.
    package func forEach(
        _ sql: String, _ parameters: [any SQLConvertible] = [], _ body: (Row) throws -> Void
    ) throws {
        _ = try handle.connection.run(sql, parameters, body)
    }

    /// Whether a query returns at least one row.
    package func exists(_ sql: String, _ parameters: [any SQLConvertible] = []) throws -> Bool {
        try first("SELECT EXISTS (\n\(sql)\n)", parameters) { try $0[0] } ?? false
    }
}

/// A connection lent by ``Database/session(_:)``.
package struct DatabaseSession {
    let connection: any Connection

    package var dialect: Dialect { connection.dialect }

    package func read<Value>(_ body: (ReadTransaction) throws -> Value) throws -> Value {
        try connection.transaction(writing: false) {
            try body(ReadTransaction(handle: ConnectionHandle(connection: connection)))
        }
    }

    package func write<Value>(_ body: (WriteTransaction) throws -> Value) throws -> Value {
        try connection.transaction(writing: true) {
            try body(WriteTransaction(handle: ConnectionHandle(connection: connection)))
        }
    }

    /// Runs statements on the session's temporary tables, outside of a transaction.
    package func script(_ sql: String) throws {
        try connection.script(sql)
    }

    /// Fills a temporary table by the fastest way the database has: a prepared insert in SQLite, `COPY` in PostgreSQL.
    package func bulkInsert(
        into table: String, columns: [String], _ fill: (inout BulkWriter) throws -> Void
    ) throws {
        try connection.bulkInsert(into: table, columns: columns, fill)
    }
}

/// Receives rows value by value, in the order of the columns.
package struct BulkWriter {
    let sink: any BulkSink

    package mutating func append(_ value: Int) throws { try sink.append(integer: Int64(value)) }
    package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) throws { try sink.append(text: bytes) }
    package mutating func appendNull() throws { try sink.appendNull() }
    package mutating func append(_ text: String) throws {
        var text = text
        try text.withUTF8 { try sink.append(text: $0) }
    }
    /// Ends the row. A value must have been appended for every column.
    package mutating func endRow() throws { try sink.endRow() }
}

protocol BulkSink: AnyObject {
    func append(integer: Int64) throws
    func append(text: UnsafeBufferPointer<UInt8>) throws
    func appendNull() throws
    func endRow() throws
}
