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

    /// The part that is about records of this kind.
    fileprivate func number(of kind: CountedRecords) -> Int {
        switch kind {
        case .people: people
        case .classes: classes
        }
    }

    fileprivate static func kept(for sharing: SharingFilter, in transaction: some Transaction) throws -> SharingCount? {
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

/// Which of the ways to count is taken.
extension SharingFilter {
    /// How many records of a kind the rules let through: the number of ``CountedRecords`` where they limit nothing, the one that
    /// was counted last where counting takes long, and otherwise what `countNow` counts.
    func count(
        _ kind: CountedRecords, of organization: OrganizationID, atOnce: Int, in transaction: some Transaction,
        countNow: () throws -> Int
    ) throws -> Int {
        guard limits(kind) else { return try kind.count(of: organization, atOnce: atOnce, in: transaction) }
        if try isLongToCount(kind, in: organization, atOnce, transaction),
            let kept = try SharingCount.kept(for: self, in: transaction)
        {
            return kept.number(of: kind)
        }
        return try countNow()
    }

    /// Whether the number of people or of classes that the app sees is that of the last count, and not counted now.
    package func countsAreKept(of organization: OrganizationID, in transaction: some Transaction) throws -> Bool {
        let atOnce = CountedRecords.atOnce
        let kept = try SharingCount.kept(for: self, in: transaction)
        return try CountedRecords.allCases.contains { kind in
            guard limits(kind) else { return try kind.isKept(of: organization, atOnce: atOnce, in: transaction) }
            return try kept != nil && isLongToCount(kind, in: organization, atOnce, transaction)
        }
    }

    /// Whether counting what the rules let through takes long in the organization.
    package func isLongToCount(
        in organization: OrganizationID, atOnce: Int = CountedRecords.atOnce, _ transaction: some Transaction
    ) throws -> Bool {
        try CountedRecords.allCases.contains { try isLongToCount($0, in: organization, atOnce, transaction) }
    }

    private func isLongToCount(
        _ kind: CountedRecords, in organization: OrganizationID, _ atOnce: Int, _ transaction: some Transaction
    ) throws -> Bool { try limits(kind) && kind.areMore(than: atOnce, in: organization, transaction) }

    private func limits(_ kind: CountedRecords) -> Bool {
        switch kind {
        case .people: limitsPeople
        case .classes: limitsClassRecords
        }
    }
}
