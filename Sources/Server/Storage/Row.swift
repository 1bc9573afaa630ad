import CPostgres
import CSQLite
import Ground

/// One row of a result, valid only inside the closure that receives it.
///
/// What reads a value is inlined into other modules, here and in ``SQLConvertible``, so that no column is read by way of metadata that
/// has to be looked up at run time. That was a sixth of what a token answer cost besides its signature.
@usableFromInline package struct Row {
    enum Cursor {
        case sqlite(OpaquePointer)
        case postgres(OpaquePointer, row: Int32)
    }

    let cursor: Cursor
    let columns: ColumnNames

    /// The value of the column with this name. An expression gets its name by `AS`.
    /// - Throws: ``DatabaseError/unexpectedValue(_:)`` if the result has no such column or two of them, or if the value
    ///   is not a `Value`.
    @inlinable package subscript<Value: SQLConvertible>(_ name: StaticString) -> Value {
        get throws { try Value(column: column(name)) }
    }

    /// For statements with one column, and for those whose columns are in the order of a file. All others are read by
    /// name.
    @inlinable package subscript<Value: SQLConvertible>(_ index: Int) -> Value {
        get throws { try Value(column: column(index)) }
    }

    @usableFromInline package func column(_ name: StaticString) throws -> Column {
        Column(cursor: cursor, index: try columns.index(of: name))
    }

    @usableFromInline package func column(_ index: Int) -> Column { Column(cursor: cursor, index: Int32(index)) }
}

/// One column of one row.
@usableFromInline package struct Column {
    let cursor: Row.Cursor
    let index: Int32

    @usableFromInline package var isNull: Bool {
        switch cursor {
        case .sqlite(let statement): sqlite3_column_type(statement, index) == SQLITE_NULL
        case .postgres(let result, let row): PQgetisnull(result, row, index) == 1
        }
    }

    @usableFromInline package func integer() throws -> Int64 {
        switch cursor {
        case .sqlite(let statement):
            guard sqlite3_column_type(statement, index) == SQLITE_INTEGER else { throw mismatch("an integer") }
            return sqlite3_column_int64(statement, index)
        case .postgres(let result, let row):
            guard PQgetisnull(result, row, index) == 0 else { throw mismatch("an integer") }
            let bytes = postgresBytes(result, row)
            // In PostgreSQL `EXISTS` and comparisons are booleans.
            if bytes.count == 1, bytes[0] == UInt8(ascii: "t") { return 1 }
            if bytes.count == 1, bytes[0] == UInt8(ascii: "f") { return 0 }
            guard let value = Int64(String(decoding: bytes, as: UTF8.self)) else { throw mismatch("an integer") }
            return value
        }
    }

    @usableFromInline package func text() throws -> String {
        switch cursor {
        case .sqlite(let statement):
            guard sqlite3_column_type(statement, index) == SQLITE_TEXT,
                let start = sqlite3_column_text(statement, index)
            else { throw mismatch("text") }
            let count = Int(sqlite3_column_bytes(statement, index))
            return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
        case .postgres(let result, let row):
            guard PQgetisnull(result, row, index) == 0 else { throw mismatch("text") }
            return String(decoding: postgresBytes(result, row), as: UTF8.self)
        }
    }

    @usableFromInline package func blob() throws -> [UInt8] {
        switch cursor {
        case .sqlite(let statement):
            guard sqlite3_column_type(statement, index) == SQLITE_BLOB else { throw mismatch("bytes") }
            let count = Int(sqlite3_column_bytes(statement, index))
            guard count > 0, let start = sqlite3_column_blob(statement, index) else { return [] }
            return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
        case .postgres(let result, let row):
            // Text format: `\x` and two hexadecimal digits a byte.
            let bytes = postgresBytes(result, row)
            guard PQgetisnull(result, row, index) == 0, bytes.count >= 2, bytes[0] == UInt8(ascii: "\\"),
                let blob = [UInt8](hexadecimal: bytes.dropFirst(2))
            else { throw mismatch("bytes") }
            return blob
        }
    }

    private func postgresBytes(_ result: OpaquePointer, _ row: Int32) -> UnsafeBufferPointer<UInt8> {
        let count = Int(PQgetlength(result, row, index))
        return PQgetvalue(result, row, index).withMemoryRebound(to: UInt8.self, capacity: count) {
            UnsafeBufferPointer(start: $0, count: count)
        }
    }

    private func mismatch(_ expected: String) -> DatabaseError {
        .unexpectedValue("column \(index) is not \(expected)")
    }
}
