import Storage

/// The index by which a search finds people without reading all of them.
///
/// Code that writes people does not write the index: triggers note who was added or renamed, and a search reads those
/// people as well. So a search always finds what it should, and an import of a million people does not keep others
/// waiting for the index, which is brought up to date after imports, and by the server once a minute.
package enum PersonIndex {
    /// How many people one transaction brings in. It takes a few milliseconds, for which others wait.
    private static let batch = 1_000

    /// Brings everybody into the index who was added or renamed, with a transaction for each batch.
    package static func bringUpToDate(in database: any Database) async throws {
        // Reads first, because most of the time nobody waits.
        guard try await database.read({ try isWaiting(in: $0) }) else { return }
        while try await database.write({ try bringInBatch(in: $0) }) {}
    }

    static func isWaiting(in transaction: some Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM person_unindexed")
    }

    /// - Returns: whether others may be waiting still.
    static func bringInBatch(of size: Int = batch, in transaction: WriteTransaction) throws -> Bool {
        let people = try transaction.all(
            """
            SELECT \(Person.columns) FROM person_unindexed AS u
            JOIN person ON person.id = u.person_id
            ORDER BY u.person_id
            LIMIT $1
            """, [size], Person.init)
        guard let last = people.last else { return false }
        try transaction.execute(
            "DELETE FROM person_search WHERE rowid IN (SELECT person_id FROM person_unindexed WHERE person_id <= $1)",
            [last.id])
        for person in people where !person.isErased {
            try transaction.execute(
                "INSERT INTO person_search (rowid, words) VALUES ($1, $2)", [person.id, PersonSearch.indexed(person)])
        }
        try transaction.execute("DELETE FROM person_unindexed WHERE person_id <= $1", [last.id])
        return people.count == size
    }

    /// Takes out somebody who is not to be found any more, at once.
    static func remove(_ person: PersonID, in transaction: WriteTransaction) throws {
        try transaction.execute("DELETE FROM person_search WHERE rowid = $1", [person])
        try transaction.execute("DELETE FROM person_unindexed WHERE person_id = $1", [person])
    }
}
