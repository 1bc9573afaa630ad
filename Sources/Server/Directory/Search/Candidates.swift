import Storage

/// Among which records those of a page are looked for.
enum Candidates<Record: Searchable>: Sendable {
    case all
    /// Records that the index finds by patterns, see ``Search/patterns`` and ``Search/shortPatterns``.
    case indexed([String], short: [String])
    /// Records that the index does not have yet, or has under a former name.
    case unindexed
    case one(Record.ID)

    private typealias Index = SearchIndex<Record>

    /// The order of a cross join is the one in which SQLite goes through the tables.
    var tables: String {
        switch self {
        case .all, .one: Record.table
        case .indexed: "\(Index.words) AS found CROSS JOIN \(Record.table)"
        case .unindexed: "\(Index.unindexed) AS found CROSS JOIN \(Record.table)"
        }
    }

    /// The column by which the records come in the order of their numbers.
    var key: String {
        switch self {
        case .all, .one: "\(Record.table).id"
        case .indexed: "found.rowid"
        case .unindexed: "found.\(Index.key)"
        }
    }

    func conditions(_ placeholder: (any SQLConvertible) -> String) -> [String] {
        switch self {
        case .all: []
        case .indexed(let patterns, let short):
            ["\(Record.table).id = found.rowid"] + patterns.map { "found.words LIKE \(placeholder($0))" }
                // `|| ''` makes an expression of the column, which is compared row by row: the index must not be asked
                // for these short patterns.
                + short.map { "found.words || '' LIKE \(placeholder($0))" }
        case .unindexed: ["\(Record.table).id = found.\(Index.key)"]
        case .one(let id): ["\(Record.table).id = \(placeholder(id))"]
        }
    }

    /// A word that nearly nothing has is found by the index at once; one that nearly everything has, by going through the
    /// records in their order. PostgreSQL knows which it is if it sees the word before it chooses.
    var planning: Planning {
        switch self {
        case .indexed: .eachTime
        case .all, .unindexed, .one: .once
        }
    }

    /// How many candidates are read at once for a page of a search. Nearly all that the index gives are found in the
    /// end, so that no more than a page of them is needed; of all records, or of those that the index lacks, only a few
    /// are.
    fileprivate func batch(forPageOf limit: Int) -> Int {
        switch self {
        case .all, .unindexed: 500
        case .indexed, .one: min(max(limit, 1), 500)
        }
    }
}

extension Search {
    /// In an organization of at most so many records, a search reads all of them. That takes no longer than asking the
    /// index, which has the records of all organizations.
    static var readAllMax: Int { 1_000 }

    /// The next `limit` records after `last` that are found, by id.
    /// - Parameters:
    ///   - organization: nil for personal accounts.
    ///   - readAllMax: how many records an organization may have for a search to read all of them.
    ///   - batch: reads the next candidates after a record, at most so many, that fit everything but the search.
    func page(
        of organization: OrganizationID?, after last: Record.ID, limit: Int, readingAllUpTo readAllMax: Int,
        in transaction: some Transaction,
        batch: (_ among: Candidates<Record>, _ after: Record.ID, _ limit: Int) throws -> [Record]
    ) throws -> [Record] {
        func page(among candidates: Candidates<Record>) throws -> [Record] {
            let size = candidates.batch(forPageOf: limit)
            var records: [Record] = []
            var last = last
            while records.count < limit {
                let batch = try batch(candidates, last, size)
                records += batch.filter(finds).prefix(limit - records.count)
                guard batch.count == size, let end = batch.last else { break }
                last = end.id
            }
            return records
        }
        guard
            try transaction.exists(
                """
                SELECT 1 FROM \(Record.table) WHERE organization_id \(organization == nil ? "IS NULL" : "= $1")
                LIMIT 1 OFFSET \(readAllMax)
                """, organization.map { [$0] } ?? [])
        else { return try page(among: .all) }
        // A record that was renamed since the index was brought up to date may be found twice: under the former name in
        // the index, and among those that it does not have yet.
        let found = Dictionary(try candidates.flatMap(page).map { ($0.id, $0) }) { first, _ in first }
        return Array(found.values.sorted { $0.id < $1.id }.prefix(limit))
    }
}
