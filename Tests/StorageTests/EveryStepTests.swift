import Foundation
import Schema
import Storage
import TestSupport
import Testing

/// Whoever upgrades may come from any version, with rows in every table. So the tables are looked up in the schema
/// itself: those of a new step are covered without being registered anywhere.
@Suite struct EveryStepTests {
    /// Every database and every step but the last, from which nothing is left to be done.
    static let starts = TestDatabase.available.flatMap { kind in
        Schema.migrations.dropLast().map { Start(kind: kind, step: $0.number) }
    }

    @Test(
        "a database of any step, with a row in each table, comes to the newest without losing anything",
        arguments: starts)
    func everyStep(_ start: Start) async throws {
        let steps = Array(Schema.migrations.prefix(start.step))
        // The rows are made up from SQLite's description of the tables, which PostgreSQL has with the same columns.
        let tables = try await TestDatabase.sqlite.with(migrations: steps) { database in
            try await database.read { try Table.all(in: $0) }
        }
        #expect(tables.count >= 9)
        try await start.kind.with(migrations: steps) { database in
            try await database.write { transaction in
                for table in tables { try table.insertRow(in: transaction) }
            }
            let before = try await contents(of: tables, in: database)
            let applied = try await database.migrate(Schema.migrations)
            #expect(applied == Array((start.step + 1)...Schema.migrations.count))

            let now = try await TestDatabase.sqlite.with { database in
                try await database.read { try Table.all(in: $0) }
            }
            let dropped = start.step < 9 ? Self.droppedByStep9 : []
            for table in tables where !dropped.contains(table.name) {
                let current = try #require(now.first { $0.name == table.name }, "\(table.name) is gone")
                let kept = table.keeping(Set(current.columns.map(\.name)))
                #expect(
                    Set(table.columns.map(\.name)).subtracting(kept.columns.map(\.name)).isSubset(
                        of: Self.droppedColumns))
                let after = try await contents(of: [kept], in: database)
                for (column, value) in after { #expect(value == before[column], "\(column)") }
                #expect(after.count == kept.columns.count)
            }
            if database.dialect == .sqlite {
                let orphans = try await database.read { transaction in
                    try transaction.all("SELECT \"table\" AS name FROM pragma_foreign_key_check") {
                        try $0["name"] as String
                    }
                }
                #expect(orphans == [])
            }
        }
    }

    /// They hold what is minutes old: whoever is signing in during the upgrade begins again.
    private static let droppedByStep9: Set = ["authorization_code", "parked_request"]

    private static let droppedColumns: Set = ["delivered_at", "previous_refresh_token_hash"]

    /// The only row of each table, as `table.column` with the value as text.
    private func contents(of tables: [Table], in database: any Database) async throws -> [String: String] {
        try await database.read { transaction in
            var contents: [String: String] = [:]
            for table in tables {
                let texts = table.columns.map { column in
                    switch database.dialect {
                    case .sqlite: "quote(\(column.name))"
                    case .postgres: "COALESCE(CAST(\(column.name) AS TEXT), 'NULL')"
                    }
                }
                let rows = try transaction.all("SELECT \(texts.joined(separator: ", ")) FROM \(table.name)") { row in
                    try table.columns.indices.map { try row[$0] as String }
                }
                #expect(rows.count == 1, "\(table.name)")
                for (column, value) in zip(table.columns, rows.first ?? []) {
                    contents["\(table.name).\(column.name)"] = value
                }
            }
            return contents
        }
    }
}

/// A database of a former version.
struct Start: Sendable, CustomTestStringConvertible {
    let kind: TestDatabase
    let step: Int
    var testDescription: String { "\(kind), step \(step)" }
}

/// A table as SQLite describes it, with a made-up row that its constraints allow.
private struct Table: Sendable {
    struct Column: Sendable {
        let name: String
        let type: String
        /// The first value that the column's `CHECK (… IN (…))` allows; nil if it has no such check.
        let firstAllowed: String?
        var isNull = false
    }

    let name: String
    let columns: [Column]

    /// Columns that stay null, because each of them excludes another one, or says that the row is about to go.
    private static let nulls: Set = [
        "access_grant.sign_in_consent_id", "authorization_code.sign_in_consent_id", "api_token.api_client_id",
        "administration_job.api_client_id", "notification.delivered_at", "sign_in_consent.revoked_at",
    ]

    /// All tables, each after those to which it refers.
    static func all(in transaction: some Transaction) throws -> [Table] {
        let found = try transaction.all(
            """
            SELECT name, sql FROM sqlite_master
            WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'schema_step'
              -- An index of a search is no table in PostgreSQL, and has nothing that is not made from others.
              AND name NOT IN (SELECT name FROM pragma_table_list WHERE type IN ('virtual', 'shadow'))
            ORDER BY rowid
            """
        ) { (try $0["name"] as String, try $0["sql"] as String) }
        var tables: [Table] = []
        var waiting = try found.map { name, sql in
            let references = try transaction.all("SELECT \"table\" AS name FROM pragma_foreign_key_list('\(name)')") {
                try $0["name"] as String
            }
            return (try Table(name, sql, in: transaction), Set(references).subtracting([name]))
        }
        while !waiting.isEmpty {
            let ready = waiting.filter { _, references in references.isSubset(of: tables.map(\.name)) }
            try #require(!ready.isEmpty, "tables that refer to each other: \(waiting.map(\.0.name))")
            tables += ready.map(\.0)
            waiting.removeAll { table, _ in ready.contains { $0.0.name == table.name } }
        }
        return tables
    }

    private init(_ name: String, _ sql: String, in transaction: some Transaction) throws {
        self.name = name
        columns = try transaction.all("SELECT name, type FROM pragma_table_info('\(name)')") { row in
            let column: String = try row["name"]
            return Column(
                name: column, type: try row["type"],
                firstAllowed: sql.range(of: "CHECK (\(column) IN (").flatMap { check in
                    sql[check.upperBound...].split(separator: "'", omittingEmptySubsequences: false).dropFirst().first
                        .map(String.init)
                },
                isNull: Self.nulls.contains("\(name).\(column)"))
        }
    }

    private init(name: String, columns: [Column]) {
        self.name = name
        self.columns = columns
    }

    func keeping(_ names: Set<String>) -> Table {
        Table(name: name, columns: columns.filter { names.contains($0.name) })
    }

    /// Every id is 1, and so is every reference to one; every key that is a text is `x`.
    func insertRow(in transaction: WriteTransaction) throws {
        let values: [any SQLConvertible] = columns.map { column in
            switch column.type {
            case _ where column.isNull: Int?.none
            case "INTEGER": 1
            case "BLOB": [UInt8](repeating: 1, count: 32)
            default: column.firstAllowed ?? "x"
            }
        }
        try transaction.execute(
            """
            INSERT INTO \(name) (\(columns.map(\.name).joined(separator: ", ")))
            VALUES (\(values.indices.map { "$\($0 + 1)" }.joined(separator: ", ")))
            ON CONFLICT DO NOTHING  -- A trigger may have made the same row.
            """, values)
    }
}
