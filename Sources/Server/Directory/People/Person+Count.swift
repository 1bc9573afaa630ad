import Storage

extension Person {
    /// Counting so many takes less than a millisecond. In larger organizations the number is counted now and then.
    package static let countedAtOnce = 2_000

    /// How many people apps can see. Up to two thousand it is exact; in larger organizations it is the number of the last
    /// count, which the server makes once a minute.
    package static func count(
        of organization: OrganizationID, atOnce: Int = countedAtOnce, in transaction: some Transaction
    ) throws -> Int {
        let counted = try transaction.first(
            """
            SELECT COUNT(*) FROM (
                SELECT 1 AS one FROM person WHERE organization_id = $1 AND state <> 'deactivated' LIMIT $2
            ) AS some_people
            """, [organization, atOnce + 1]
        ) { try $0[0] as Int }
        guard let counted, counted > atOnce else { return counted ?? 0 }
        let last = try transaction.first("SELECT number FROM people_count WHERE organization_id = $1", [organization]) {
            try $0[0] as Int
        }
        return try last ?? countAll(of: organization, in: transaction)
    }

    private static func countAll(of organization: OrganizationID, in transaction: some Transaction) throws -> Int {
        try transaction.first(
            "SELECT COUNT(*) FROM person WHERE organization_id = $1 AND state <> 'deactivated'", [organization]
        ) { try $0[0] } ?? 0
    }

    /// How many accounts are locked after wrong passwords.
    package static func countLocked(of organization: OrganizationID, in transaction: some Transaction) throws -> Int {
        try transaction.first(
            "SELECT COUNT(*) FROM person WHERE organization_id = $1 AND state = 'locked'", [organization]
        ) { try $0[0] } ?? 0
    }

    /// Counts the people of large organizations anew.
    package static func countLarge(in database: any Database, above atOnce: Int = countedAtOnce) async throws {
        let changed = try await database.read { transaction in
            try transaction.all(
                """
                SELECT o.id, (SELECT c.number FROM people_count AS c WHERE c.organization_id = o.id) AS number
                FROM organization AS o
                WHERE EXISTS (
                    SELECT 1 FROM person WHERE organization_id = o.id AND state <> 'deactivated'
                    ORDER BY id LIMIT 1 OFFSET $1
                )
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
                    INSERT INTO people_count (organization_id, number) VALUES ($1, $2)
                    ON CONFLICT (organization_id) DO UPDATE SET number = EXCLUDED.number
                    """, [organization, number])
            }
        }
    }
}
