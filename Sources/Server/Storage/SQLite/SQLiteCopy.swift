import CSQLite
import Foundation

/// A copy of a SQLite database, in one file that nobody has open.
package struct SQLiteCopy: Sendable {
    package let path: String

    /// What was found when a copy was read from its beginning to its end.
    package struct Examination: Equatable, Sendable {
        /// The last schema step that was applied; nil if it is no database of Lanyard's.
        package let step: Int?
        /// What `PRAGMA integrity_check` and `PRAGMA foreign_key_check` say, at most 20 messages; empty if the copy is whole.
        package let damage: [String]
        /// How many rows each table has.
        package let rows: [String: Int]
    }

    package init(path: String) { self.path = path }

    /// Copies a database while others read and write it, as it is at one moment. Writing transactions are not delayed.
    /// - Parameter path: a new file, which is readable for its owner alone from its first byte on.
    /// - Throws: ``DatabaseError``; then the file is gone again.
    package static func make(of database: any Database, at path: String) async throws -> SQLiteCopy {
        // `VACUUM INTO` takes a file that is empty, and would give a new one the mode of the umask.
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DatabaseError.unavailable("\(path): \(String(cString: strerror(errno)))") }
        Foundation.close(descriptor)
        do {
            let quoted = path.replacingOccurrences(of: "'", with: "''")
            try await database.session { try $0.script("VACUUM INTO '\(quoted)'") }
        } catch {
            unlink(path)
            throw error
        }
        return SQLiteCopy(path: path)
    }

    /// Reads the whole file, and changes nothing.
    /// - Parameter tables: those whose rows are counted.
    /// - Throws: ``DatabaseError`` if it cannot be read, or is no database.
    package func examine(counting tables: [String]) throws -> Examination {
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK, let handle
        else { throw failure(handle) }
        let integrity = try texts("PRAGMA integrity_check(10)", handle)
        let references = try texts(
            "SELECT 'a row of ' || \"table\" || ' refers to a missing one of ' || parent "
                + "FROM pragma_foreign_key_check LIMIT 10", handle)
        let isOurs = try !texts("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_step'", handle)
            .isEmpty
        let step = isOurs ? try texts("SELECT COALESCE(MAX(number), 0) FROM schema_step", handle).first : nil
        var rows: [String: Int] = [:]
        if isOurs {
            for table in tables { rows[table] = Int(try texts("SELECT COUNT(*) FROM \(table)", handle).first ?? "") }
        }
        return Examination(
            step: step.flatMap(Int.init), damage: (integrity == ["ok"] ? [] : integrity) + references, rows: rows)
    }

    /// The first column of each row.
    private func texts(_ sql: String, _ handle: OpaquePointer) throws -> [String] {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(handle) }
        var found: [String] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: found.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
            case SQLITE_DONE: return found
            default: throw failure(handle)
            }
        }
    }

    private func failure(_ handle: OpaquePointer?) -> DatabaseError {
        .unavailable("\(path): \(handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory")")
    }
}
