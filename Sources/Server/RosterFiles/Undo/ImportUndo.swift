import Directory
import Foundation
import Storage

/// The import that can be taken back: the newest that was not taken back yet. Nothing was built on it but what somebody
/// has done by hand. So several imports are taken back one after the other, the newest first.
///
/// People whom it added keep their accounts, deactivated; an import that names them later brings them back with the same
/// id. Records that somebody has edited by hand since stay as they are, and so do fields that an import does not write.
/// `modified_at` becomes the present time where apps can see the change.
package struct ImportUndo: Sendable {
    package let importID: Int
    /// What the audit trail has of it.
    package let detail: String
    private let organization: OrganizationID

    /// - Parameter expected: the number of the import that is meant; nil for whichever is the newest.
    /// - Throws: ``RosterImportError``
    package init(_ expected: Int? = nil, of organization: OrganizationID, in transaction: some Transaction) throws {
        let last = try transaction.first(
            """
            SELECT id, undone_at, forgotten_at FROM roster_import WHERE organization_id = $1
            ORDER BY CASE WHEN undone_at IS NULL THEN 0 ELSE 1 END, id DESC LIMIT 1
            """,
            [organization]
        ) { row in
            (
                id: try row["id"] as Int, isUndone: try row["undone_at"] as Int? != nil,
                isForgotten: try row["forgotten_at"] as Int? != nil
            )
        }
        guard let last else { throw RosterImportError.nothingToUndo }
        guard !last.isUndone else { throw RosterImportError.alreadyUndone(importID: last.id) }
        if let expected, expected != last.id {
            throw expected > last.id
                ? RosterImportError.alreadyUndone(importID: expected)
                : RosterImportError.notNewest(importID: expected, newest: last.id)
        }
        guard !last.isForgotten else { throw RosterImportError.forgotten(importID: last.id) }
        if let map = try IDMap.newest(of: organization, since: last.id, in: transaction) {
            throw RosterImportError.builtOn(importID: last.id, map: map.id)
        }
        importID = last.id
        detail = ImportTrail.undone(of: try AppliedImport.schools(of: last.id, in: transaction))
        self.organization = organization
    }

    /// The roster must be locked, and ``Departure/tables``.
    package func carryOut(at now: Date, in transaction: WriteTransaction) throws -> UndoReport {
        let report = try RosterUndo(
            organization: organization, importID: importID, now: now, transaction: transaction
        ).run()
        try ImportMemory.drop(importID, in: transaction)
        try transaction.execute("UPDATE roster_import SET undone_at = $2 WHERE id = $1", [importID, now])
        return report
    }
}
