import CSQLite

/// Whether a location names a PostgreSQL server. Otherwise it is the path of a SQLite file.
package func namesServer(_ location: String) -> Bool {
    location.hasPrefix("postgres://") || location.hasPrefix("postgresql://")
}

/// Whether a file is a SQLite database that has `table`. Opens the file read-only.
/// - Parameter milliseconds: how long to wait for another process that holds the file, as one does for a moment that is
///   the last to close it.
/// - Throws: ``DatabaseError/unavailable(_:)`` if it cannot be read, or is not a SQLite database.
package func isSQLiteFile(
    _ path: String, withTable table: String, waiting milliseconds: Int32 = 60_000
) throws -> Bool {
    var handle: OpaquePointer?
    var statement: OpaquePointer?
    defer {
        sqlite3_finalize(statement)
        sqlite3_close_v2(handle)
    }
    let query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1"
    var status = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
    sqlite3_busy_timeout(handle, milliseconds)
    if status == SQLITE_OK { status = sqlite3_prepare_v2(handle, query, -1, &statement, nil) }
    if status == SQLITE_OK {
        // SQLite does not copy the text, so the statement runs while the pointer is valid.
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
