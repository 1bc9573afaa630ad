import Foundation
import Storage

/// How many people and classes an app sees through the rules of an organization. Up to two thousand records, see
/// ``CountedRecords/atOnce``, they are counted each time. In larger organizations, where each record has to be compared
/// with the rules, it is what was counted last: when the rules were changed, or by the server since, once an hour.
package struct SharingCount: Sendable {
    package let people: Int
    package let classes: Int

    package init(people: Int, classes: Int) {
        self.people = people
        self.classes = classes
    }

    /// Counts the records now.
    package init(
        of organization: OrganizationID, through sharing: SharingFilter, at now: Date, in transaction: some Transaction
    ) throws {
        people = try RosterPerson.countAll(of: organization, through: sharing, at: now, in: transaction)
        classes = try RosterClass.countAll(of: organization, through: sharing, in: transaction)
    }

    static func kept(for sharing: SharingFilter, in transaction: some Transaction) throws -> SharingCount? {
        try transaction.first("SELECT people, classes FROM sharing_count WHERE rules_id = $1", [sharing.rules]) {
            SharingCount(people: try $0["people"], classes: try $0["classes"])
        }
    }

    /// Keeps the count, unless the rules have changed since they were read.
    package func keep(for sharing: SharingFilter, at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO sharing_count (rules_id, people, classes, counted_at)
            SELECT id, $2, $3, $4 FROM sharing_rules WHERE id = $1 AND changed_at = $5
            ON CONFLICT (rules_id) DO UPDATE SET
                people = EXCLUDED.people, classes = EXCLUDED.classes, counted_at = EXCLUDED.counted_at
            """, [sharing.rules, people, classes, now, sharing.changedAt])
    }
}

extension SharingFilter {
    /// Whether counting what the rules let through takes long in the organization.
    package func isLongToCount(
        in organization: OrganizationID, atOnce: Int = CountedRecords.atOnce, _ transaction: some Transaction
    ) throws -> Bool {
        if limitsPeople, try CountedRecords.people.areMore(than: atOnce, in: organization, transaction) { return true }
        guard limitsClassRecords else { return false }
        return try CountedRecords.classes.areMore(than: atOnce, in: organization, transaction)
    }
}
