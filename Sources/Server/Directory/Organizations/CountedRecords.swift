import Storage

/// How many records of a kind apps can see in an organization. Up to two thousand it is exact; in larger organizations,
/// where counting takes milliseconds, it is the number of the last count, which the server makes once a minute.
package enum CountedRecords: CaseIterable, Sendable {
    case people, classes

    /// Up to this number the records are counted each time, which takes less than a millisecond.
    package static let atOnce = 2_000

    /// What is counted, of the organization that `owner` names.
    private func rows(of owner: String) -> String {
        switch self {
        case .people: "FROM person WHERE organization_id = \(owner) AND state <> 'deactivated'"
        case .classes: "FROM class WHERE organization_id = \(owner) AND archived_at IS NULL"
        }
    }

    /// The table of the last counts.
    private var table: String {
        switch self {
        case .people: "people_count"
        case .classes: "class_count"
        }
    }

    package func areMore(
        than number: Int, in organization: OrganizationID, _ transaction: some Transaction
    ) throws -> Bool {
        try transaction.exists("SELECT 1 \(rows(of: "$1")) ORDER BY id LIMIT 1 OFFSET $2", [organization, number])
    }

    func count(
        of organization: OrganizationID, atOnce: Int = atOnce, in transaction: some Transaction
    ) throws -> Int {
        let counted = try transaction.count("SELECT 1 AS one \(rows(of: "$1"))", [organization], upTo: atOnce + 1)
        guard counted > atOnce else { return counted }
        return try last(of: organization, in: transaction) ?? countAll(of: organization, in: transaction)
    }

    /// Whether ``count(of:atOnce:in:)`` gives the number of the last count.
    func isKept(of organization: OrganizationID, atOnce: Int, in transaction: some Transaction) throws -> Bool {
        try last(of: organization, in: transaction) != nil && areMore(than: atOnce, in: organization, transaction)
    }

    /// The number of the last count; nil if there was none.
    private func last(of organization: OrganizationID, in transaction: some Transaction) throws -> Int? {
        try transaction.first("SELECT number FROM \(table) WHERE organization_id = $1", [organization]) { try $0[0] }
    }

    private func countAll(of organization: OrganizationID, in transaction: some Transaction) throws -> Int {
        try transaction.first("SELECT COUNT(*) \(rows(of: "$1"))", [organization]) { try $0[0] } ?? 0
    }

    /// Counts the records of each kind anew, in organizations that have more than are counted each time.
    package static func countLarge(in database: any Database, above atOnce: Int = atOnce) async throws {
        for kind in allCases { try await kind.countLarge(in: database, above: atOnce) }
    }

    private func countLarge(in database: any Database, above atOnce: Int) async throws {
        let changed = try await database.read { transaction in
            try transaction.all(
                """
                SELECT o.id, (SELECT c.number FROM \(table) AS c WHERE c.organization_id = o.id) AS number
                FROM organization AS o
                WHERE EXISTS (SELECT 1 \(rows(of: "o.id")) ORDER BY id LIMIT 1 OFFSET $1)
                """, [atOnce]
            ) { (try $0["id"] as OrganizationID, try $0["number"] as Int?) }
            .map { ($0, $1, try countAll(of: $0, in: transaction)) }
            .filter { _, last, number in last != number }
        }
        guard !changed.isEmpty else { return }
        try await database.write { transaction in
            for (organization, _, number) in changed {
                try transaction.execute(
                    """
                    INSERT INTO \(table) (organization_id, number) VALUES ($1, $2)
                    ON CONFLICT (organization_id) DO UPDATE SET number = EXCLUDED.number
                    """, [organization, number])
            }
        }
    }
}
