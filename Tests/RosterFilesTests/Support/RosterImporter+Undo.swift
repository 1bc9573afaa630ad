import Directory
import Ground
import Storage

@testable import RosterFiles

extension RosterImporter {
    /// Takes back an import of an organization, as `import.undo` does: the one with the number, or the last one that stands.
    /// - Throws: ``RosterImportError``, ``DirectoryError/organizationClosed(_:since:)``
    func undo(
        _ number: Int? = nil, organization: OrganizationID, actor: Actor, origin: Origin
    ) async throws -> UndoReport {
        let now = surroundings.now()
        return try await database.write { transaction in
            try transaction.lockRoster(and: Departure.tables)
            guard let found = try Organization.find(organization, in: transaction) else {
                throw DirectoryError.unknownOrganization(String(organization.rawValue))
            }
            try found.checkIsOpen()
            let undo = try ImportUndo(number, of: organization, in: transaction)
            // The audit entry comes before the rows, for the same reason as in an import.
            try AuditEntry(
                .rosterImportUndone, by: actor, on: "import:\(undo.importID)", outcome: .done, detail: undo.detail,
                from: origin
            ).append(to: organization, at: now, in: transaction)
            return try undo.carryOut(at: now, in: transaction)
        }
    }
}
