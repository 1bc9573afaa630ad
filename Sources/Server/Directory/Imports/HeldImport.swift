import Foundation
import Storage

/// An import that waits for approval, by the audit trail.
package struct HeldImport: Equatable, Sendable {
    package let at: Date
    /// The detail of the entry, as ``ImportTrail/held(_:of:)`` words it.
    package let detail: String
    /// The id by which the plan is approved.
    package var planID: String? { ImportTrail.planID(in: detail) }
    /// The schools whose files they are; empty for files of the whole organization.
    package let schools: Set<LocationID>

    /// The imports that wait, the newest first: one for each school that has files of its own, and one for the whole
    /// organization.
    ///
    /// What waits for a school does so until an import of that school, or of the whole organization, ends otherwise or
    /// is taken back. What waits for the whole organization does so until any import ends otherwise. Whoever gives one
    /// up ends that one alone.
    package static func list(of organization: OrganizationID, in transaction: some Transaction) throws -> [HeldImport] {
        var newest: [(sequence: Int, held: HeldImport)] = []
        for (sequence, held) in try all(of: organization, in: transaction)
        where !newest.contains(where: { $0.held.schools == held.schools }) { newest.append((sequence, held)) }
        guard let first = newest.last?.sequence else { return [] }
        let ended = try endings(of: organization, since: first, in: transaction)
        return newest.filter { sequence, held in
            let later = ended.filter { $0.sequence > sequence && $0.discarded == nil }
            if ended.contains(where: { $0.sequence > sequence && $0.discarded != nil && $0.discarded == held.planID }) {
                return false
            }
            if held.schools.isEmpty { return later.isEmpty }
            // Schools that came together can be imported one by one afterwards.
            return !later.contains { $0.schools.isEmpty }
                && !held.schools.isSubset(of: later.reduce(into: []) { $0.formUnion($1.schools) })
        }.map(\.held)
    }

    /// All that was ever held, the newest first.
    private static func all(
        of organization: OrganizationID, in transaction: some Transaction
    ) throws -> [(sequence: Int, held: HeldImport)] {
        try transaction.all(
            """
            SELECT e.sequence, e.at, e.detail
            FROM audit_mention AS imported
            JOIN audit_mention AS refused
                ON refused.organization_id = $1 AND refused.term = 'refused' AND refused.at = imported.at
                AND refused.sequence = imported.sequence
            JOIN audit_entry AS e ON e.organization_id = $1 AND e.sequence = imported.sequence
            WHERE imported.organization_id = $1 AND imported.term = 'action:roster.imported'
            ORDER BY e.sequence DESC
            """,
            [organization]
        ) { row in
            let detail: String = try row["detail"]
            return (
                try row["sequence"],
                HeldImport(at: try row["at"], detail: detail, schools: ImportTrail.schools(in: detail))
            )
        }
    }

    /// The imports since an entry that were applied, found nothing to do, were taken back, or were given up; for these
    /// the id of the plan.
    private static func endings(
        of organization: OrganizationID, since sequence: Int, in transaction: some Transaction
    ) throws -> [(sequence: Int, schools: Set<LocationID>, discarded: String?)] {
        try transaction.all(
            """
            SELECT sequence, detail FROM audit_entry
            WHERE organization_id = $1 AND sequence > $2 AND outcome = 'done'
              AND action IN ('roster.imported', 'roster.import-undone', 'roster.import-discarded')
            """,
            [organization, sequence]
        ) { row in
            let detail: String = try row["detail"]
            return (
                try row["sequence"], ImportTrail.schools(in: detail), ImportTrail.discardedPlanID(in: detail)
            )
        }
    }
}
