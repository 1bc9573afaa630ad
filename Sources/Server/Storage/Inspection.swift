/// What an operator wants to know of a database, found out without changing it.
extension Transaction {
    /// The number of the last step of the schema that was applied; nil if the database is not Lanyard's.
    package func appliedStep() throws -> Int? {
        let hasSteps =
            switch dialect {
            case .sqlite: try exists("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_step'")
            case .postgres: try exists("SELECT 1 WHERE to_regclass('schema_step') IS NOT NULL")
            }
        guard hasSteps else { return nil }
        return try first("SELECT COALESCE(MAX(number), 0) FROM schema_step") { try $0[0] }
    }

    /// What is damaged in the file, in SQLite's words; empty if nothing is. PostgreSQL has no such check.
    package func damage() throws -> [String] {
        guard dialect == .sqlite else { return [] }
        let lines: [String] = try all("PRAGMA quick_check(10)") { try $0[0] }
        return lines == ["ok"] ? [] : lines
    }
}

extension Database {
    /// Writes for good what is there already: a full disk shows only when something has to reach it.
    /// - Throws: ``DatabaseError`` if the database takes no writes.
    package func checkWritable() async throws {
        try await write { transaction in
            switch transaction.dialect {
            // An UPDATE to the same value would write nothing; this number, which nobody uses, is always written.
            case .sqlite: try transaction.execute("PRAGMA user_version = 0")
            case .postgres: try transaction.execute("UPDATE schema_step SET purpose = purpose WHERE number = 1")
            }
        }
    }
}
