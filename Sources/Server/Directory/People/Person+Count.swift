import Storage

extension Person {
    /// How many people apps can see, as ``CountedRecords`` counts them.
    package static func count(
        of organization: OrganizationID, atOnce: Int = CountedRecords.atOnce, in transaction: some Transaction
    ) throws -> Int { try CountedRecords.people.count(of: organization, atOnce: atOnce, in: transaction) }

    /// How many accounts are locked after wrong passwords, `limit` at most.
    package static func countLocked(
        of organization: OrganizationID, limit: Int, in transaction: some Transaction
    ) throws -> Int {
        try transaction.count(
            "SELECT 1 AS one FROM person WHERE organization_id = $1 AND state = 'locked'", [organization], upTo: limit)
    }
}
