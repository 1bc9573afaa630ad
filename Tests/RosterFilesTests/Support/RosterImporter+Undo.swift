import Directory
import Ground
import Storage

@testable import RosterFiles

extension RosterImporter {
    /// Takes back the last import of an organization that has not been taken back, as `import.undo` does.
    /// - Throws: ``RosterImportError``, ``DirectoryError/organizationClosed(_:since:)``
    func undo(organization: OrganizationID, actor: Actor, origin: Origin) async throws -> UndoReport {
        let now = surroundings.now()
        return try await database.write { transaction in
            try transaction.lockRoster(and: Departure.tables)
            guard let found = try Organization.find(organization, in: transaction) else {
                throw DirectoryError.unknownOrganization(String(organization.rawValue))
            }
            try found.checkIsOpen()
            let undo = try ImportUndo(of: organization, in: transaction)
            // The audit entry comes before the rows, for the same reason as in an import.
            try AuditEntry(
                .rosterImportUndone, by: actor, on: "import:\(undo.importID)", outcome: .done, detail: undo.detail,
                from: origin
            ).append(to: organization, at: now, in: transaction)
            return try undo.carryOut(at: now, in: transaction)
        }
    }
}
