import Storage

extension Person {
    /// How many people apps can see, as ``CountedRecords`` counts them.
    package static func count(
        of organization: OrganizationID, atOnce: Int = CountedRecords.atOnce, in transaction: some Transaction
    ) throws -> Int { try CountedRecords.people.count(of: organization, atOnce: atOnce, in: transaction) }

    /// How many accounts are locked after wrong passwords.
    package static func countLocked(of organization: OrganizationID, in transaction: some Transaction) throws -> Int {
        try transaction.first(
            "SELECT COUNT(*) FROM person WHERE organization_id = $1 AND state = 'locked'", [organization]
        ) { try $0[0] } ?? 0
    }
}
