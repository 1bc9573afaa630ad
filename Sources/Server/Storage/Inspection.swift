/// Read-only checks for operators.
extension Transaction {
    /// The number of the last schema step that was applied, 0 if none was; nil if the database is not Lanyard's.
    package func appliedStep() throws -> Int? {
        let hasSteps =
            switch dialect {
            case .sqlite: try exists("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_step'")
            case .postgres: try exists("SELECT 1 WHERE to_regclass('schema_step') IS NOT NULL")
            }
        guard hasSteps else { return nil }
        return try first("SELECT COALESCE(MAX(number), 0) FROM schema_step") { try $0[0] }
    }

    /// Damage that SQLite's `PRAGMA quick_check` reports, at most 10 messages; empty if there is none. Always empty for
    /// PostgreSQL, which has no such check.
    package func damage() throws -> [String] {
        guard dialect == .sqlite else { return [] }
        let lines: [String] = try all("PRAGMA quick_check(10)") { try $0[0] }
        return lines == ["ok"] ? [] : lines
    }
}

extension ReadTransaction {
    /// How many rows a table has.
    package func rows(of table: String) throws -> Int {
        try first("SELECT COUNT(*) FROM \(table)") { try $0[0] } ?? 0
    }

    /// A name under which another connection to PostgreSQL sees what this transaction sees, as long as this one lasts.
    package func exportSnapshot() throws -> String? {
        guard dialect == .postgres else { return nil }
        return try first("SELECT pg_export_snapshot()") { try $0[0] }
    }

    /// The version of a PostgreSQL server, such as 150005 for 15.5; nil for SQLite.
    package func serverVersion() throws -> Int? {
        guard dialect == .postgres else { return nil }
        return try first("SELECT current_setting('server_version_num')::bigint") { try $0[0] }
    }

    /// Whether a PostgreSQL database has nothing in it but what belongs to PostgreSQL.
    package func isEmptyDatabase() throws -> Bool {
        try !exists(
            """
            SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = pg_class.relnamespace
            WHERE nspname <> 'information_schema' AND LEFT(nspname::text, 3) <> 'pg_'
            """)
    }

    /// What gives this role the right to make tables in a PostgreSQL database, as a statement for an administrator of the database; nil if
    /// it has that right. From PostgreSQL 15 on only the owner of a database has it.
    package func missingGrant() throws -> String? {
        guard dialect == .postgres else { return nil }
        return try first(
            """
            SELECT 'GRANT USAGE, CREATE ON SCHEMA ' || quote_ident(COALESCE(current_schema(), 'public')) || ' TO ' || quote_ident(current_user)
            WHERE NOT COALESCE(has_schema_privilege(current_schema(), 'CREATE'), FALSE)
            """
        ) { try $0[0] }
    }

    /// Whether somebody else is connected to a PostgreSQL database.
    package func isShared() throws -> Bool {
        try exists(
            """
            SELECT 1 FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
            """)
    }

    /// How many things a PostgreSQL server can note for each of its connections that transactions have read, or nil for
    /// SQLite, which notes none. A first sign-in leaves some forty such notes, and they stay until every transaction that
    /// ran beside it has ended.
    package func notesPerConnection() throws -> Int? {
        guard dialect == .postgres else { return nil }
        return try first("SELECT current_setting('max_pred_locks_per_transaction')::bigint") { try $0[0] }
    }
}

extension Database {
    /// Commits a write that changes nothing: that the disk is full shows only when something is written to it.
    /// - Throws: ``DatabaseError`` if the database cannot be written.
    package func checkWritable() async throws {
        try await write { transaction in
            switch transaction.dialect {
            // SQLite skips an UPDATE to the same value, but always writes `user_version`, which we do not use.
            case .sqlite: try transaction.execute("PRAGMA user_version = 0")
            case .postgres: try transaction.execute("UPDATE schema_step SET purpose = purpose WHERE number = 1")
            }
        }
    }
}
