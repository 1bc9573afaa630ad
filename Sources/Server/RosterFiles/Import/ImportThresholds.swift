import Directory
import Foundation
import Storage

/// How much an import may do to an organization without approval, for each type of record.
///
/// A few may always leave, so that a small school need not approve each pupil who moves: up to three people, courses or
/// classes and up to thirty memberships, but never more than half. There is no such floor for locations, nor for an
/// organization whose limit is 0.
package struct ImportThresholds: Codable, Equatable, Sendable {
    /// Percentage of the existing records that may go away, 0 to 100.
    package let removedPercent: Int
    /// Percentage of the existing records that may change, 0 to 100.
    package let changedPercent: Int
    /// How many person ids may pass to people who seem to be others: ``IdentityChange/Doubt/anotherPerson``.
    package let replacedMax: Int
    /// Percentage of people who may get dissimilar names, including those of ``replacedMax``. Three are always allowed,
    /// unless it is 0.
    package let renamedPercent: Int

    package static let standard = try! ImportThresholds()  // all are in range

    /// - Throws: ``DirectoryError/invalidField(field:reason:)`` unless percentages lie between 0 and 100 and
    ///   `replacedMax` is not negative.
    package init(
        removedPercent: Int = 10, changedPercent: Int = 75, replacedMax: Int = 0, renamedPercent: Int = 1
    ) throws {
        for percent in [removedPercent, changedPercent, renamedPercent] where !(0...100).contains(percent) {
            throw DirectoryError.invalidField(
                field: "threshold", reason: "must lie between 0 and 100, not be \(percent)")
        }
        guard replacedMax >= 0 else {
            throw DirectoryError.invalidField(field: "threshold", reason: "must not be negative, as \(replacedMax) is")
        }
        self.removedPercent = removedPercent
        self.changedPercent = changedPercent
        self.replacedMax = replacedMax
        self.renamedPercent = renamedPercent
    }
}

extension ImportThresholds {
    /// The thresholds of an organization, or the standard ones.
    package static func find(
        for organization: OrganizationID, in transaction: some Transaction
    ) throws -> ImportThresholds {
        try transaction.first(
            """
            SELECT removed_percent, changed_percent, replaced_max, renamed_percent FROM import_threshold
            WHERE organization_id = $1
            """,
            [organization]
        ) {
            try ImportThresholds(
                removedPercent: $0["removed_percent"], changedPercent: $0["changed_percent"],
                replacedMax: $0["replaced_max"], renamedPercent: $0["renamed_percent"])
        } ?? standard
    }

    package func put(for organization: OrganizationID, in transaction: WriteTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO import_threshold (
                organization_id, removed_percent, changed_percent, replaced_max, renamed_percent
            )
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (organization_id) DO UPDATE SET
                removed_percent = EXCLUDED.removed_percent,
                changed_percent = EXCLUDED.changed_percent,
                replaced_max = EXCLUDED.replaced_max,
                renamed_percent = EXCLUDED.renamed_percent
            """,
            [organization, removedPercent, changedPercent, replacedMax, renamedPercent])
    }

    /// The reasons why a plan exceeds the thresholds. A type without existing records, as in a first import, never
    /// exceeds them.
    func reasons(toHold counts: ImportCounts) -> [HeldReason] {
        RecordType.allCases.flatMap { type -> [HeldReason] in
            let count = counts[type]
            guard count.existing > 0 else { return [] }
            func reason(_ rule: HeldReason.Rule, _ affected: Int, _ percentMax: Int?) -> HeldReason {
                HeldReason(rule: rule, type: type, count: affected, existing: count.existing, percentMax: percentMax)
            }
            var reasons: [HeldReason] = []
            if count.inFile == 0 {
                reasons.append(reason(.empty, count.deactivated, nil))
            } else if count.deactivated * 100 > count.existing * removedPercent, !isFew(count, of: type) {
                reasons.append(reason(.removed, count.deactivated, removedPercent))
            }
            // A membership can change in its roster_id only, which some systems number anew in every export.
            if type != .memberships, count.changed * 100 > count.existing * changedPercent {
                reasons.append(reason(.changed, count.changed, changedPercent))
            }
            return reasons
        }
    }

    /// The reasons why a plan's changes of identities exceed the thresholds.
    /// - Parameter people: how many the organization has, students and staff.
    func reasons(toHold identities: IdentityChanges, among people: Int) -> [HeldReason] {
        func reason(_ rule: HeldReason.Rule, _ count: Int, max: Int) -> [HeldReason] {
            guard count > max else { return [] }
            return [
                HeldReason(rule: rule, type: nil, count: count, existing: people, percentMax: nil, countMax: max)
            ]
        }
        let renamed = identities.anotherPerson + identities.renamed
        let renamedMax = renamedPercent == 0 ? 0 : max(3, people * renamedPercent / 100)
        return reason(.erased, identities.erased, max: 0)
            + reason(.replaced, identities.anotherPerson, max: replacedMax)
            + reason(.renamed, renamed, max: max(renamedMax, replacedMax))
    }

    private func isFew(_ count: RecordCounts, of type: RecordType) -> Bool {
        let few =
            switch type {
            case .locations: 0
            case .students, .staff, .courses, .classes: 3
            case .memberships: 30
            }
        return removedPercent > 0 && count.deactivated <= few && count.deactivated * 2 <= count.existing
    }
}
