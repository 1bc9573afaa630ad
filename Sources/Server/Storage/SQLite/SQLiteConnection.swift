import CSQLite
import Foundation
import Ground

/// One connection to a SQLite file. It belongs to one thread.
final class SQLiteConnection: Connection {
    enum Role {
        /// Refuses every write.
        case reader
        case writer
        /// A writer with temporary tables, which are kept on disk so that they do not use memory.
        case session
    }

    let dialect = Dialect.sqlite
    private let handle: OpaquePointer
    private var statements: [StatementText: PreparedStatement] = [:]
    private var isClosed = false

    init(path: String, role: Role, busyTimeout: Duration) throws {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
            let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(handle)
            throw DatabaseError.unavailable("\(path): \(message)")
        }
        self.handle = handle
        do {
            sqlite3_extended_result_codes(handle, 1)
            setBusyTimeout(busyTimeout)
            try script(Self.settings(for: role))
        } catch {
            sqlite3_close_v2(handle)
            throw Self.explain(error, path)
        }
    }

    /// Replaces SQLite's message that it cannot open a file by the system's reason.
    private static func explain(_ error: any Error, _ path: String) -> any Error {
        guard case .unavailable(let message) = error as? DatabaseError else { return error }
        let reason = access(path, R_OK | W_OK) == 0 ? message : String(cString: strerror(errno))
        return DatabaseError.unavailable("\(path): \(reason)")
    }

    deinit { close() }

    /// The connection cannot be used afterwards. Closing the last connection to a file also removes its `-wal`.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        for statement in statements.values { sqlite3_finalize(statement.handle) }
        sqlite3_close_v2(handle)
    }

    /// - Parameter timeout: how long to wait for another process that writes.
    func setBusyTimeout(_ timeout: Duration) {
        sqlite3_busy_timeout(handle, Int32(clamping: Int(timeout / .milliseconds(1))))
    }

    private static func settings(for role: Role) -> String {
        // The order matters: setting the journal mode writes to the file, so it comes before `query_only`.
        let common = """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA foreign_keys = ON;
            PRAGMA trusted_schema = OFF;
            PRAGMA journal_size_limit = 67108864;

            """
        return switch role {
        case .reader: common + "PRAGMA cache_size = -4096; PRAGMA query_only = ON;"
        case .writer: common + "PRAGMA cache_size = -8192;"
        case .session: common + "PRAGMA cache_size = -32768; PRAGMA temp_store = FILE; PRAGMA temp.cache_size = -32768;"
        }
    }

    // MARK: Statements

    func run(
        _ sql: String, _ parameters: [any SQLConvertible], planned: Planning, _ body: (Row) throws -> Void
    ) throws -> Int {
        let statement = try borrow(sql)
        defer { giveBack(statement, sql) }
        try bind(parameters, to: statement)
        let changesBefore = sqlite3_total_changes64(handle)
        while true {
            switch sqlite3_step(statement.handle) {
            case SQLITE_ROW: try body(Row(cursor: .sqlite(statement.handle), columns: statement.columns))
            case SQLITE_DONE:
                // After a statement that changes no rows, such as `CREATE TABLE`, SQLite still reports the count of the
                // previous one.
                let hasChanged =
                    sqlite3_stmt_readonly(statement.handle) == 0 && sqlite3_total_changes64(handle) != changesBefore
                return hasChanged ? Int(sqlite3_changes64(handle)) : 0
            default: throw error()
            }
        }
    }

    func script(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error() }
    }

    /// False inside a transaction. It can become true before `ROLLBACK`, because on some errors, such as a full disk,
    /// SQLite rolls back by itself.
    var isAutocommitting: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// Limits the size of the file, for tests of a full disk.
    func limit(pages: Int) throws { try script("PRAGMA max_page_count = \(pages)") }

    /// A prepared statement with its columns and, for each of SQLite's parameters, the number in its name `$n`.
    final class PreparedStatement {
        let handle: OpaquePointer
        let numbers: [Int]
        let columns: ColumnNames
        var isInUse = false

        init(handle: OpaquePointer) {
            self.handle = handle
            // To SQLite `$2` is a name; it numbers parameters by their first appearance.
            numbers = (0..<sqlite3_bind_parameter_count(handle)).map { index in
                Int(String(cString: sqlite3_bind_parameter_name(handle, index + 1)).dropFirst()) ?? 0
            }
            columns = ColumnNames(
                (0..<sqlite3_column_count(handle)).map { String(cString: sqlite3_column_name(handle, $0)) })
        }
    }

    private func borrow(_ sql: String) throws -> PreparedStatement {
        let text = StatementText(sql)
        let known = statements[text]
        if let kept = known, !kept.isInUse {
            kept.isInUse = true
            return kept
        }
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil) == SQLITE_OK,
            let prepared
        else { throw error() }
        let statement = PreparedStatement(handle: prepared)
        // A statement that is run again while its own rows are read is prepared once more, and that copy is not kept.
        if known == nil {
            statements[text] = statement
            statement.isInUse = true
        }
        return statement
    }

    private func giveBack(_ statement: PreparedStatement, _ sql: String) {
        guard statement.isInUse else {
            sqlite3_finalize(statement.handle)
            return
        }
        sqlite3_reset(statement.handle)
        sqlite3_clear_bindings(statement.handle)
        statement.isInUse = false
    }

    private func bind(_ parameters: [any SQLConvertible], to statement: PreparedStatement) throws {
        for (index, number) in statement.numbers.enumerated() {
            guard number >= 1, number <= parameters.count else {
                throw DatabaseError.other(code: "parameters", message: "no value for $\(number)")
            }
            let position = Int32(index + 1)
            let result =
                switch parameters[number - 1].sqlValue {
                case .null: sqlite3_bind_null(statement.handle, position)
                case .integer(let value): sqlite3_bind_int64(statement.handle, position, value)
                case .text(let value) where value.hasNUL:
                    // PostgreSQL accepts no NUL in text, and both databases must behave the same.
                    throw DatabaseError.unstorableText
                case .text(var value):
                    value.withUTF8 { Self.bindText($0, to: statement.handle, position) }
                case .blob(let value):
                    value.withUnsafeBytes {
                        $0.isEmpty
                            ? sqlite3_bind_zeroblob(statement.handle, position, 0)
                            : sqlite3_bind_blob(
                                statement.handle, position, $0.baseAddress, Int32($0.count), Self.transient)
                    }
                }
            guard result == SQLITE_OK else { throw error() }
        }
    }

    /// Tells SQLite to copy what is bound.
    fileprivate static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    fileprivate static func bindText(
        _ bytes: UnsafeBufferPointer<UInt8>, to statement: OpaquePointer, _ position: Int32
    ) -> Int32 {
        // An empty buffer may have no address, and SQLite would store a null pointer as NULL.
        guard let start = bytes.baseAddress else { return sqlite3_bind_text(statement, position, "", 0, nil) }
        return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
            sqlite3_bind_text(statement, position, $0, Int32(bytes.count), transient)
        }
    }

    func error() -> DatabaseError {
        let code = sqlite3_extended_errcode(handle)
        let message = String(cString: sqlite3_errmsg(handle))
        switch code {
        // The extended codes are macros that Swift does not import: SQLITE_CONSTRAINT | (n << 8).
        case SQLITE_CONSTRAINT | (8 << 8), SQLITE_CONSTRAINT | (6 << 8), SQLITE_CONSTRAINT | (10 << 8):
            return .uniqueViolation(message)  // UNIQUE, PRIMARYKEY, ROWID
        case SQLITE_CONSTRAINT | (3 << 8): return .foreignKeyViolation(message)
        default: break
        }
        switch code & 0xff {
        case SQLITE_CONSTRAINT, SQLITE_MISMATCH: return .constraintViolation(message)
        case SQLITE_FULL: return .full(message)
        case SQLITE_BUSY, SQLITE_LOCKED: return .busy(message)
        case SQLITE_CANTOPEN, SQLITE_NOTADB, SQLITE_READONLY, SQLITE_IOERR: return .unavailable(message)
        default: return .other(code: String(code), message: message)
        }
    }
}

// MARK: Bulk insert

extension SQLiteConnection {
    func bulkInsert(
        into table: String, columns: [String], _ fill: (inout BulkWriter) throws -> Void
    ) throws {
        let places = (1...columns.count).map { "$\($0)" }.joined(separator: ", ")
        let sql = "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(places))"
        let statement = try borrow(sql)
        defer { giveBack(statement, sql) }
        let ownTransaction = isAutocommitting
        if ownTransaction { try script("BEGIN") }
        do {
            var writer = BulkWriter(sink: Sink(statement: statement.handle, connection: self))
            try fill(&writer)
            if ownTransaction { try script("COMMIT") }
        } catch {
            if ownTransaction, !isAutocommitting { try? script("ROLLBACK") }
            throw error
        }
    }

    private final class Sink: BulkSink {
        private let statement: OpaquePointer
        private let connection: SQLiteConnection
        private var position: Int32 = 0

        init(statement: OpaquePointer, connection: SQLiteConnection) {
            self.statement = statement
            self.connection = connection
        }

        func append(integer: Int64) throws {
            position += 1
            sqlite3_bind_int64(statement, position, integer)
        }

        func append(text: UnsafeBufferPointer<UInt8>) throws {
            position += 1
            guard SQLiteConnection.bindText(text, to: statement, position) == SQLITE_OK else {
                throw connection.error()
            }
        }

        func appendNull() throws {
            position += 1
            sqlite3_bind_null(statement, position)
        }

        func endRow() throws {
            position = 0
            guard sqlite3_step(statement) == SQLITE_DONE else { throw connection.error() }
            sqlite3_reset(statement)
        }
    }
}
