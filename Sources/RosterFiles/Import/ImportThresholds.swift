import Directory
import Foundation
import Storage

/// How much an import may do to an organization without approval, for each type of record.
///
/// So few may always leave that a small school need not approve each pupil who moves: up to three people, courses or
/// classes and up to thirty memberships, but never more than half. Locations have no such floor, nor has an
/// organization that lets nothing go away.
package struct ImportThresholds: Codable, Equatable, Sendable {
    /// Of the existing records, that may go away.
    package let removedPercent: Int
    /// Of the existing records, that may change.
    package let changedPercent: Int

    package static let standard = try! ImportThresholds(removedPercent: 10, changedPercent: 75)  // both are percentages

    /// - Throws: ``DirectoryError/invalidField(field:reason:)`` unless both lie between 0 and 100.
    package init(removedPercent: Int, changedPercent: Int) throws {
        for percent in [removedPercent, changedPercent] where !(0...100).contains(percent) {
            throw DirectoryError.invalidField(
                field: "threshold", reason: "must lie between 0 and 100, not be \(percent)")
        }
        self.removedPercent = removedPercent
        self.changedPercent = changedPercent
    }
}

extension ImportThresholds {
    /// Those of an organization, or the standard ones.
    package static func find(
        for organization: OrganizationID, in transaction: some Transaction
    ) throws -> ImportThresholds {
        try transaction.first(
            "SELECT removed_percent, changed_percent FROM import_threshold WHERE organization_id = $1", [organization]
        ) { try ImportThresholds(removedPercent: $0[0], changedPercent: $0[1]) } ?? standard
    }

    package func put(for organization: OrganizationID, in transaction: WriteTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO import_threshold (organization_id, removed_percent, changed_percent) VALUES ($1, $2, $3)
            ON CONFLICT (organization_id) DO UPDATE
            SET removed_percent = EXCLUDED.removed_percent, changed_percent = EXCLUDED.changed_percent
            """,
            [organization, removedPercent, changedPercent])
    }

    /// What of a plan goes beyond the thresholds. A type of which there is nothing yet, as in a first import, never
    /// does.
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
            // All that changes of a membership is its roster_id, which some systems number anew in every export.
            if type != .memberships, count.changed * 100 > count.existing * changedPercent {
                reasons.append(reason(.changed, count.changed, changedPercent))
            }
            return reasons
        }
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
