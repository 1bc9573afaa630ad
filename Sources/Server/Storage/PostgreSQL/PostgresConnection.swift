import CPostgres
import Foundation
import Ground

/// One connection to PostgreSQL through libpq. It belongs to one thread.
final class PostgresConnection: Connection {
    let dialect = Dialect.postgres
    private let connectionString: String
    private let lockTimeout: Duration?
    /// Whether to connect again if the server has dropped the connection between two transactions.
    let mayReconnect: Bool
    private var handle: OpaquePointer
    private var isClosed = false
    private var statements: [StatementText: Statement] = [:]

    /// - Parameters:
    ///   - lockTimeout: how long to wait for another transaction's lock; nil to wait without limit.
    ///   - mayReconnect: false for a connection that has state, such as temporary tables, which a new one would not
    ///     have.
    init(connectionString: String, lockTimeout: Duration? = nil, mayReconnect: Bool = true) throws {
        self.connectionString = connectionString
        self.lockTimeout = lockTimeout
        self.mayReconnect = mayReconnect
        handle = try Self.connect(connectionString, lockTimeout)
    }

    deinit { close() }

    /// The connection cannot be used afterwards.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        PQfinish(handle)
    }

    /// Timeouts after which a server that has disappeared is noticed. The connection string can override them.
    private static let defaults = [
        ("connect_timeout", "10"),  // seconds; so are the idle time and interval below
        ("keepalives_idle", "30"),
        ("keepalives_interval", "10"),
        ("keepalives_count", "3"),
        ("tcp_user_timeout", "60000"),  // milliseconds
    ]

    private static func connect(_ connectionString: String, _ lockTimeout: Duration?) throws -> OpaquePointer {
        // libpq expands a `dbname` that is a connection string; its settings override those before it.
        let parameters = defaults + [("dbname", connectionString)]
        let handle = withPointers(to: parameters.map { Array($0.0.utf8CString) } + [nil]) { keywords in
            withPointers(to: parameters.map { Array($0.1.utf8CString) } + [nil]) { values in
                PQconnectdbParams(keywords, values, 1)
            }
        }
        guard let handle else { throw DatabaseError.unavailable("out of memory") }
        guard PQstatus(handle) == CONNECTION_OK else {
            let message = String(cString: PQerrorMessage(handle)).trimmingCharacters(in: .whitespacesAndNewlines)
            PQfinish(handle)
            throw DatabaseError.unavailable(message)
        }
        // Ignore notices such as "table does not exist, skipping".
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        // Leave out the details of an error, which quote the row: messages are written to logs.
        PQsetErrorVerbosity(handle, PQERRORS_TERSE)
        PQclear(PQexec(handle, "SET client_encoding = 'UTF8'; SET TIME ZONE 'UTC'"))
        if let lockTimeout { PQclear(PQexec(handle, "SET lock_timeout = \(Int(lockTimeout / .milliseconds(1)))")) }
        return handle
    }

    /// Connects again after the server went away; for use between transactions only.
    func reconnectIfBroken() throws {
        if PQstatus(handle) != CONNECTION_OK { try reconnect() }
    }

    func reconnect() throws {
        let fresh = try Self.connect(connectionString, lockTimeout)
        PQfinish(handle)
        handle = fresh
        statements = [:]
    }

    // MARK: Statements

    func run(
        _ sql: String, _ parameters: [any SQLConvertible], planned: Planning, _ body: (Row) throws -> Void
    ) throws -> Int {
        let values = parameters.map(\.sqlValue)
        // libpq reads text up to the first NUL, so the statement would run with a truncated value.
        for case .text(let text) in values where text.hasNUL {
            throw DatabaseError.unstorableText
        }
        let statement = try statement(for: sql, values, planned: planned)
        let result = execute(statement, values)
        defer { PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK:
            guard let result else { throw error(nil) }
            let columns = statement.columns(of: result)
            for row in 0..<PQntuples(result) { try body(Row(cursor: .postgres(result, row: row), columns: columns)) }
        case PGRES_COMMAND_OK: break
        default: throw error(result)
        }
        return Int(String(cString: PQcmdTuples(result))) ?? 0
    }

    func script(_ sql: String) throws {
        let result = PQexec(handle, sql)
        defer { PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return
        default: throw error(result)
        }
    }

    /// - Throws: also if a statement of the transaction failed before, because the server then answers `COMMIT` with a
    ///   rollback.
    func commit() throws {
        let result = PQexec(handle, "COMMIT")
        defer { PQclear(result) }
        guard let result, PQresultStatus(result) == PGRES_COMMAND_OK else { throw error(result) }
        let answer = String(cString: PQcmdStatus(result))
        guard answer == "COMMIT" else {
            throw DatabaseError.other(code: answer, message: "a statement had failed; nothing was changed")
        }
    }

    /// A statement that was run before, so that its columns are known from the first result.
    private final class Statement {
        /// The name under which the server keeps it, with the way in which it carries it out; nil if it chooses that way
        /// each time, which it does for a statement without a name.
        let name: String?
        let sql: String
        /// What the parameters are. Without a type the server infers one from the context: in `$1 < 10` it would be a
        /// 32-bit integer.
        let types: [Oid]
        private var columns: ColumnNames?

        init(name: String?, sql: String, values: [SQLValue]) {
            self.name = name
            self.sql = sql
            types = values.map { value in
                switch value {
                case .integer: 20  // int8
                case .blob: 17  // bytea
                case .text, .null: 0  // inferred by the server
                }
            }
        }

        func columns(of result: OpaquePointer) -> ColumnNames {
            if let columns { return columns }
            let found = ColumnNames((0..<PQnfields(result)).map { String(cString: PQfname(result, $0)) })
            columns = found
            return found
        }
    }

    private func statement(for sql: String, _ values: [SQLValue], planned: Planning) throws -> Statement {
        let text = StatementText(sql)
        if let statement = statements[text] { return statement }
        let statement = Statement(name: planned == .once ? "s\(statements.count)" : nil, sql: sql, values: values)
        if let name = statement.name {
            let result = PQprepare(handle, name, sql, Int32(statement.types.count), statement.types)
            defer { PQclear(result) }
            guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw error(result) }
        }
        statements[text] = statement
        return statement
    }

    private func execute(_ statement: Statement, _ values: [SQLValue]) -> OpaquePointer? {
        // All parameters are sent as text: the server knows each one's type and parses it.
        let texts: [[CChar]?] = values.map { value in
            switch value {
            case .null: nil
            case .integer(let integer): Array(String(integer).utf8CString)
            case .text(let text): Array(text.utf8CString)
            case .blob(let bytes): Array(("\\x" + bytes.hexadecimal).utf8CString)
            }
        }
        let count = Int32(values.count)
        return Self.withPointers(to: texts) { pointers in
            if let name = statement.name {
                PQexecPrepared(handle, name, count, pointers, nil, nil, 0)
            } else {
                PQexecParams(handle, statement.sql, count, statement.types, pointers, nil, nil, 0)
            }
        }
    }

    private static func withPointers<Result>(
        to texts: [[CChar]?], _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        let starts = texts.map { text in
            text.map { text in
                let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count)
                copy.update(from: text, count: text.count)
                return copy
            }
        }
        defer { for start in starts { start?.deallocate() } }
        return body(starts.map { $0.map { UnsafePointer($0) } })
    }

    func error(_ result: OpaquePointer?) -> DatabaseError {
        let message = String(cString: PQerrorMessage(handle)).trimmingCharacters(in: .whitespacesAndNewlines)
        guard PQstatus(handle) == CONNECTION_OK else { return .unavailable(message) }
        guard let result, let field = PQresultErrorField(result, Int32(UInt8(ascii: "C"))) else {
            return .other(code: "libpq", message: message)
        }
        let code = String(cString: field)
        let constraint = PQresultErrorField(result, Int32(UInt8(ascii: "n"))).map { String(cString: $0) } ?? message
        return switch code {
        case "23505": .uniqueViolation(constraint)
        case "23503": .foreignKeyViolation(constraint)
        case "40001", "40P01": .notSerializable(message)
        case "53200": .crowded(message)
        case "53100", "53400": .full(message)
        case "55P03", "57014": .busy(message)
        // A server is read-only when its disk is full or while it is a standby, and a standby refuses SERIALIZABLE with
        // 0A000. Both can end, for example after a failover.
        case "25006", "0A000": .unavailable(message)
        // Class 22: a value that its type refuses, such as text with a NUL byte. Class 23: a constraint.
        case _ where code.hasPrefix("23") || code.hasPrefix("22"): .constraintViolation(message)
        // Classes for the connection, resources, an operator's intervention, and system errors.
        case _ where ["08", "53", "57P", "58"].contains(where: code.hasPrefix): .unavailable(message)
        default: .other(code: code, message: message)
        }
    }
}

// MARK: Bulk insert

extension PostgresConnection {
    func bulkInsert(
        into table: String, columns: [String], _ fill: (inout BulkWriter) throws -> Void
    ) throws {
        let result = PQexec(handle, "COPY \(table) (\(columns.joined(separator: ", "))) FROM STDIN")
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COPY_IN else { throw error(result) }
        let sink = Sink(connection: handle)
        do {
            var writer = BulkWriter(sink: sink)
            try fill(&writer)
            try sink.flush()
            try endCopy(failure: nil)
        } catch {
            try? endCopy(failure: "abandoned")
            throw error
        }
    }

    private func endCopy(failure: String?) throws {
        PQputCopyEnd(handle, failure)
        var problem: DatabaseError?
        while let result = PQgetResult(handle) {
            if PQresultStatus(result) != PGRES_COMMAND_OK, problem == nil { problem = error(result) }
            PQclear(result)
        }
        if let problem { throw problem }
    }

    /// Writes `COPY`'s text format: tabs between values, `\N` for null, backslash escapes.
    private final class Sink: BulkSink {
        private let connection: OpaquePointer
        private var buffer: [UInt8] = []
        private var isFirst = true

        init(connection: OpaquePointer) {
            self.connection = connection
            buffer.reserveCapacity(1 << 17)
        }

        private func separate() {
            if !isFirst { buffer.append(UInt8(ascii: "\t")) }
            isFirst = false
        }

        func append(integer: Int64) throws {
            separate()
            buffer.append(contentsOf: String(integer).utf8)
        }

        func append(text: UnsafeBufferPointer<UInt8>) throws {
            separate()
            for byte in text {
                switch byte {
                case UInt8(ascii: "\\"): buffer.append(contentsOf: [byte, byte])
                case UInt8(ascii: "\t"): buffer.append(contentsOf: #"\t"#.utf8)
                case UInt8(ascii: "\n"): buffer.append(contentsOf: #"\n"#.utf8)
                case UInt8(ascii: "\r"): buffer.append(contentsOf: #"\r"#.utf8)
                default: buffer.append(byte)
                }
            }
        }

        func appendNull() throws {
            separate()
            buffer.append(contentsOf: #"\N"#.utf8)
        }

        func endRow() throws {
            buffer.append(UInt8(ascii: "\n"))
            isFirst = true
            if buffer.count > 1 << 16 { try flush() }
        }

        func flush() throws {
            let sent = buffer.withUnsafeBytes {
                PQputCopyData(connection, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
            }
            guard sent == 1 else { throw DatabaseError.unavailable("the server stopped taking rows") }
            buffer.removeAll(keepingCapacity: true)
        }
    }
}
