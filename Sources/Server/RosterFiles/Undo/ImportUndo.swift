import Directory
import Foundation
import Storage

/// An import that can be taken back: it still stands, what undoes it is kept, and no import that stands was built on it
/// (``LaterTouches``). The newest one can always be taken back as far as other imports go; earlier ones, if those after
/// it have touched other records, as imports of other schools do.
///
/// People whom it added keep their accounts, deactivated; an import that names them later brings them back with the same
/// id. Records that somebody has edited by hand since stay as they are, and so do fields that an import does not write.
/// `modified_at` becomes the present time where apps can see the change.
package struct ImportUndo: Sendable {
    package let importID: Int
    /// What the audit trail has of it.
    package let detail: String
    private let organization: OrganizationID

    /// - Parameter number: the number of the import that is meant; nil for the newest one that stands.
    /// - Throws: ``RosterImportError``
    package init(_ number: Int? = nil, of organization: OrganizationID, in transaction: some Transaction) throws {
        let found = try transaction.first(
            """
            SELECT id, undone_at, forgotten_at FROM roster_import
            WHERE organization_id = $1 AND (id = $2 OR $2 IS NULL)
            ORDER BY CASE WHEN undone_at IS NULL THEN 0 ELSE 1 END, id DESC LIMIT 1
            """,
            [organization, number]
        ) { row in
            (
                id: try row["id"] as Int, isUndone: try row["undone_at"] as Int? != nil,
                isForgotten: try row["forgotten_at"] as Int? != nil
            )
        }
        guard let found else { throw RosterImportError.nothingToUndo }
        guard !found.isUndone else {
            throw number == nil
                ? RosterImportError.allUndone(importID: found.id) : RosterImportError.alreadyUndone(importID: found.id)
        }
        guard !found.isForgotten else { throw RosterImportError.forgotten(importID: found.id) }
        if let map = try IDMap.newest(of: organization, since: found.id, in: transaction) {
            throw RosterImportError.builtOn(importID: found.id, map: map.id)
        }
        let touches = try LaterTouches(organization: organization, importID: found.id).find(in: transaction)
        guard touches.isEmpty else { throw RosterImportError.touchedLater(importID: found.id, touches) }
        importID = found.id
        detail = ImportTrail.undone(of: try AppliedImport.schools(of: found.id, in: transaction))
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
