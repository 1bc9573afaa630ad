import Storage

/// The index by which a search finds records of a kind without reading all of them: a table of their words, and one of
/// those records that are not in it as they are now. For people they are `person_search` and `person_unindexed`.
///
/// Code that writes records does not write the index: triggers note what was added or renamed, and a search reads those
/// records as well. So a search always finds what it should, and an import of a million people does not keep others
/// waiting for the index, which is brought up to date after imports, and by the server once a minute.
enum SearchIndex<Record: Searchable> {
    /// How many records one transaction brings in. It takes a few milliseconds, for which others wait.
    private static var batch: Int { 1_000 }

    static var words: String { "\(Record.table)_search" }
    static var unindexed: String { "\(Record.table)_unindexed" }
    /// The column of ``unindexed`` that has the number of the record; in ``words`` it is `rowid`.
    static var key: String { "\(Record.table)_id" }

    /// Brings in everything that was added or renamed, with a transaction for each batch.
    static func bringUpToDate(in database: any Database) async throws {
        // Reads first, because most of the time nothing waits.
        guard try await database.read({ try isWaiting(in: $0) }) else { return }
        var batches = 1
        while try await database.write({ try bringInBatch(in: $0) }) { batches += 1 }
        let isMuchNew = batches > 1
        try await database.write { try settle(countingAnew: isMuchNew, in: $0) }
    }

    static func isWaiting(in transaction: some Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM \(unindexed)")
    }

    /// - Returns: whether other records may be waiting still.
    static func bringInBatch(of size: Int = batch, in transaction: WriteTransaction) throws -> Bool {
        let waiting = try transaction.all("SELECT \(key) FROM \(unindexed) ORDER BY \(key) LIMIT $1", [size]) {
            try $0[0] as Record.ID
        }
        guard let last = waiting.last else { return false }
        let records = try transaction.all(
            """
            SELECT \(Record.columns) FROM \(unindexed) AS u
            JOIN \(Record.table) ON \(Record.table).id = u.\(key)
            WHERE u.\(key) <= $1
            """, [last], Record.init)
        try transaction.execute(
            "DELETE FROM \(words) WHERE rowid IN (SELECT \(key) FROM \(unindexed) WHERE \(key) <= $1)", [last])
        for record in records {
            try transaction.execute(
                "INSERT INTO \(words) (rowid, words) VALUES ($1, $2)", [record.id, Search.indexed(record)])
        }
        try transaction.execute("DELETE FROM \(unindexed) WHERE \(key) <= $1", [last])
        return waiting.count == size
    }

    /// Makes PostgreSQL use the index for what it has just got. It puts new words on a list first, through which each
    /// search goes. By itself it empties that list, and counts how many records have which words, only after a tenth
    /// of all records has changed.
    static func settle(countingAnew isMuchNew: Bool, in transaction: WriteTransaction) throws {
        guard transaction.dialect == .postgres else { return }
        // The index is missing where PostgreSQL was installed without trigrams.
        try transaction.execute(
            """
            SELECT gin_clean_pending_list(found) FROM to_regclass('\(words)_words') AS found WHERE found IS NOT NULL
            """)
        if isMuchNew { try transaction.execute("ANALYZE \(words)") }
    }

    /// Takes out a record that is not to be found any more, at once.
    static func remove(_ id: Record.ID, in transaction: WriteTransaction) throws {
        try transaction.execute("DELETE FROM \(words) WHERE rowid = $1", [id])
        try transaction.execute("DELETE FROM \(unindexed) WHERE \(key) = $1", [id])
    }
}

/// The indexes of everything that is searched.
package enum SearchIndexes {
    package static func bringUpToDate(in database: any Database) async throws {
        try await SearchIndex<Person>.bringUpToDate(in: database)
        try await SearchIndex<ManagedClass>.bringUpToDate(in: database)
        try await SearchIndex<Location>.bringUpToDate(in: database)
    }
}
