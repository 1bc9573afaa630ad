import Storage
import TestSupport
import Testing

@testable import Directory

@Suite struct SearchPlanTests {
    @Test(
        "a search goes through the index, and reads no record that it does not find", arguments: TestDatabase.available)
    func plans(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            try await Self.check(Person.self, in: database)
            try await Self.check(ManagedClass.self, in: database)
            try await Self.check(Location.self, in: database)
        }
    }

    private static func check<Record: Searchable>(_: Record.Type, in database: any Database) async throws {
        let search = try Search<Record>("nunez 李")
        let indexed = Candidates<Record>.indexed(search.patterns, short: search.shortPatterns)
        let conditions = indexed.conditions { "'\($0)'" }
        #expect(conditions.count == 3)
        // In a table without rows, PostgreSQL would rather go by the number.
        let start = database.dialect == .sqlite ? ["\(indexed.key) > 0"] : []
        let query = """
            SELECT \(Record.table).id FROM \(indexed.tables)
            WHERE \((start + conditions).joined(separator: " AND ")) ORDER BY \(indexed.key) LIMIT 51
            """
        let steps = try await database.write { transaction in
            switch transaction.dialect {
            case .sqlite: return try transaction.all("EXPLAIN QUERY PLAN \(query)") { try $0["detail"] as String }
            case .postgres:
                try transaction.execute("SET LOCAL enable_seqscan = off")
                try transaction.execute("SET LOCAL enable_indexscan = off")
                return try transaction.all("EXPLAIN \(query)") { try $0[0] as String }
            }
        }
        switch database.dialect {
        case .sqlite:
            try #require(steps.count == 2)
            // `L` is a pattern that the index answers, of which there are two, and `>` the beginning of a page.
            #expect(steps[0].contains("VIRTUAL TABLE INDEX") && steps[0].hasSuffix("L0L0>"), "\(steps)")
            #expect(steps[1].hasPrefix("SEARCH \(Record.table) USING INTEGER PRIMARY KEY"), "\(steps)")
        case .postgres:
            #expect(steps.contains { $0.contains("Bitmap Index Scan on \(Record.table)_search_words") }, "\(steps)")
        }
    }
}
