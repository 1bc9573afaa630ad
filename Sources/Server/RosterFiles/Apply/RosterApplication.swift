import Directory
import Foundation
import Storage

/// Carries out a plan, in a transaction in which it was made or found to be still current: records first, then what
/// connects them.
///
/// What is changed or removed is kept as it was in the `undo_…` tables; what is added carries the import's id. A
/// record's `modified_at` moves only if apps can see the change.
struct RosterApplication {
    let organization: OrganizationID
    let importID: Int
    /// To which the classes of the files belong; nil if nothing is said about it.
    let term: TermID?
    /// Whether the plan deactivates people, whose sessions must end.
    let endsSessions: Bool
    let now: Date
    let transaction: WriteTransaction

    /// Writes the import's own row.
    static func begin(
        organization: OrganizationID, term: TermID?, digest: String, summary: String, endsSessions: Bool,
        at now: Date, in transaction: WriteTransaction
    ) throws -> RosterApplication {
        let id: Int = try transaction.first(
            """
            INSERT INTO roster_import (organization_id, digest, summary, applied_at) VALUES ($1, $2, $3, $4)
            RETURNING id
            """,
            [organization, digest, summary, now]
        ) { try $0[0] }!  // an insert without conflict clause returns its row
        return RosterApplication(
            organization: organization, importID: id, term: term, endsSessions: endsSessions, now: now,
            transaction: transaction)
    }

    /// The steps, in an order in which every reference leads to a row that is there.
    var steps: [() throws -> Void] {
        [
            forgetEarlier, applyLocations, applyCourses, changePeople, addPeople, applyRoles, applyClasses,
            applyInstructors, removeMemberships, addMemberships,
        ]
    }

    /// Drops what undoes imports of which there are too many since.
    private func forgetEarlier() throws {
        try ImportMemory.forget(of: organization, before: importID, at: now, in: transaction)
    }

    func refreshStatistics(_ tables: String...) throws {
        guard transaction.dialect == .postgres else { return }
        for table in tables { try transaction.execute("ANALYZE \(table)") }
    }
}
