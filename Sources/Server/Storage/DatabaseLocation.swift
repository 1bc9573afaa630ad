import CSQLite

/// Whether a location names a PostgreSQL server, and not the path of a file.
package func namesServer(_ location: String) -> Bool {
    location.hasPrefix("postgres://") || location.hasPrefix("postgresql://")
}

/// Whether a file is a SQLite database with the table, found out without writing to it.
/// - Throws: ``DatabaseError/unavailable(_:)`` if it cannot be read, or is no database.
package func isSQLiteFile(_ path: String, withTable table: String) throws -> Bool {
    var handle: OpaquePointer?
    var statement: OpaquePointer?
    defer {
        sqlite3_finalize(statement)
        sqlite3_close_v2(handle)
    }
    let query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1"
    var status = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
    if status == SQLITE_OK { status = sqlite3_prepare_v2(handle, query, -1, &statement, nil) }
    if status == SQLITE_OK {
        // The statement is done before the text is gone.
        status = table.withCString { name in
            sqlite3_bind_text(statement, 1, name, -1, nil)
            return sqlite3_step(statement)
        }
    }
    guard status == SQLITE_ROW || status == SQLITE_DONE else {
        throw DatabaseError.unavailable("\(path): \(String(cString: sqlite3_errmsg(handle)))")
    }
    return status == SQLITE_ROW
}
