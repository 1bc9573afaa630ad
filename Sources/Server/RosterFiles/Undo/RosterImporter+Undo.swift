import Directory
import Ground
import Storage

extension RosterImporter {
    /// Takes back the last import of an organization that has not been taken back: nothing was built on it but what
    /// somebody has done by hand. So several imports are taken back one after the other, the newest first.
    ///
    /// People whom it added keep their accounts, deactivated; an import that names them later brings them back with the
    /// same id. Records that somebody has edited by hand since stay as they are, and so do fields that an import does
    /// not write. `modified_at` becomes the present time where apps can see the change.
    /// - Throws: ``RosterImportError``, ``DirectoryError/organizationClosed(_:since:)``
    package func undo(organization: OrganizationID, actor: Actor, origin: Origin) async throws -> UndoReport {
        let now = surroundings.now()
        // A session of its own, because undoing can take as long as the import.
        return try await database.session { session in
            try session.write { transaction in
                try transaction.lockRoster(and: Departure.tables)
                guard let found = try Organization.find(organization, in: transaction) else {
                    throw DirectoryError.unknownOrganization(String(organization.rawValue))
                }
                try found.checkIsOpen()
                let importID = try lastImport(of: organization, in: transaction)
                // The audit entry comes before the rows, for the same reason as in an import.
                try AuditEntry(
                    .rosterImportUndone, by: actor, on: "organization:\(found.publicID)", outcome: .done,
                    detail: "import \(importID)", from: origin
                ).append(to: organization, at: now, in: transaction)
                let undo = RosterUndo(
                    organization: organization, importID: importID, now: now, transaction: transaction)
                let report = try undo.run()
                try ImportMemory.drop(importID, in: transaction)
                try transaction.execute("UPDATE roster_import SET undone_at = $2 WHERE id = $1", [importID, now])
                return report
            }
        }
    }

    private func lastImport(of organization: OrganizationID, in transaction: some Transaction) throws -> Int {
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
        guard !last.isForgotten else { throw RosterImportError.forgotten(importID: last.id) }
        if let map = try IDMap.newest(of: organization, since: last.id, in: transaction) {
            throw RosterImportError.builtOn(importID: last.id, map: map.id)
        }
        return last.id
    }
}
