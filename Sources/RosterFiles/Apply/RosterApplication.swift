import Directory
import Foundation
import Storage

/// Does what a plan says, in the transaction in which the plan was made: records first, then what connects them.
///
/// What is changed or removed is kept as it was in the `undo_…` tables; what is added carries the import's id. A
/// record's `modified_at` moves only if apps can see the change.
struct RosterApplication {
    let organization: OrganizationID
    let importID: Int
    let now: Date
    let transaction: WriteTransaction

    /// Notes the import, and forgets how to undo the ones before it.
    static func begin(
        organization: OrganizationID, digest: String, summary: String, at now: Date, in transaction: WriteTransaction
    ) throws -> RosterApplication {
        try dropUndo(of: organization, in: transaction)
        let id: Int = try transaction.first(
            """
            INSERT INTO roster_import (organization_id, digest, summary, applied_at) VALUES ($1, $2, $3, $4)
            RETURNING id
            """,
            [organization, digest, summary, now]
        ) { try $0[0] }!  // an insert without conflict clause returns its row
        return RosterApplication(organization: organization, importID: id, now: now, transaction: transaction)
    }

    /// The steps, in an order in which every reference leads to a row that is there.
    var steps: [() throws -> Void] {
        [
            applyLocations, applyCourses, changePeople, addPeople, applyRoles, applyClasses, applyInstructors,
            removeMemberships, addMemberships,
        ]
    }

    static func dropUndo(of organization: OrganizationID, in transaction: WriteTransaction) throws {
        for table in ["location", "person", "role", "course", "class", "instructor", "student"] {
            try transaction.execute(
                """
                DELETE FROM undo_\(table)
                WHERE import_id IN (SELECT id FROM roster_import WHERE organization_id = $1)
                """,
                [organization])
        }
    }

    func refreshStatistics(_ tables: String...) throws {
        guard transaction.dialect == .postgres else { return }
        for table in tables { try transaction.execute("ANALYZE \(table)") }
    }
}

extension WriteTransaction {
    /// Makes others who would write to what an import reads or writes wait, as they do in SQLite. PostgreSQL would let
    /// them go on, and then have the import, minutes of work, fail to serialize because of one of them.
    func lockRoster() throws {
        guard dialect == .postgres else { return }
        // The audit trail last, as every transaction writes it last: two that wait for each other are thus avoided.
        try execute(
            """
            LOCK TABLE location, course, class, person, role_assignment, class_instructor, class_student,
                browser_session, roster_import, audit_entry
            IN SHARE ROW EXCLUSIVE MODE
            """)
    }
}
