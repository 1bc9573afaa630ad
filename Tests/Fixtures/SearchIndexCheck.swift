import Directory
import Storage

package enum SearchIndexCheck {
    /// What the indexes of the search have after they are brought up to date, and would not have if they were made anew
    /// from all records, and the reverse; nothing is what is right.
    package static func differences(in database: any Database) async throws -> [String] {
        try await SearchIndexes.bringUpToDate(in: database)
        let kept = try await contents(in: database)
        try await database.write { transaction in
            for table in tables {
                let alive = table == "person" ? "WHERE deleted_at IS NULL" : ""
                try transaction.execute("DELETE FROM \(table)_search WHERE rowid > 0")
                try transaction.execute("INSERT INTO \(table)_unindexed (\(table)_id) SELECT id FROM \(table) \(alive)")
            }
        }
        try await SearchIndexes.bringUpToDate(in: database)
        return try await kept.symmetricDifference(contents(in: database)).sorted()
    }

    private static let tables = ["person", "class", "location"]

    private static func contents(in database: any Database) async throws -> Set<String> {
        try await database.read { transaction in
            let rows = try tables.flatMap { table in
                try transaction.all("SELECT rowid, words FROM \(table)_search") {
                    "\(table) \(try $0["rowid"] as Int): \(try $0["words"] as String)"
                }
            }
            return Set(rows)
        }
    }
}
