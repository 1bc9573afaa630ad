import Directory
import RosterFiles
import Storage

/// Takes an import back.
package struct UndoImport: Change {
    package typealias Answer = UndoReport

    package static let name = "import.undo"
    package static let summary = """
        Takes an import back, as long as no later one that stands has touched the same records. What somebody has done \
        by hand since then stays.
        """
    package static let privilege = Privilege.importRoster
    package static let route = OperationRoute(.post, "imports/{import}/undo")
    package static let explanations = ["import": ImportReference.explanation]
    package static let undo = UndoRule.impossible("Import the files again: those of an import are kept for a time.")
    package static let hasBulkForm = false
    package static let locksRoster = true
    package static let locksSignIns = true

    package let `import`: ImportReference

    package init(import: ImportReference) { self.import = `import` }

    package var takesLong: Bool { true }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> RosterImport {
        let organization = try context.organizationToChange(transaction)
        // Asked before the import is looked up: otherwise a closed organization without imports would be told that it
        // has none, as an open one is, and not that it is closed.
        try organization.checkIsOpen()
        guard `import`.text == ImportReference.last else { return try `import`.find(in: organization, transaction) }
        do {
            return RosterImport(
                number: Int64(try ImportUndo(of: organization.id, in: transaction).importID),
                organization: organization.id)
        } catch let error as RosterImportError {
            throw OperationError(error)
        }
    }

    package func carryOut(on subject: RosterImport, _: Void, in act: Act) throws -> UndoReport {
        do {
            let undo = try ImportUndo(Int(subject.number), of: subject.organization, in: act.transaction)
            let name = try Organization.find(subject.organization, in: act.transaction)?.name
            // The audit entry comes before the rows, so that other writers to the same trail wait from here on. Written
            // last, it could lose against one of them, and PostgreSQL would make the undoing start over.
            try act.record(.rosterImportUndone, on: subject, called: name ?? subject.auditName, undo.detail)
            let report = try undo.carryOut(at: act.now, in: act.transaction)
            try ImportFiles.deleteApproved(of: subject.organization, in: act.transaction)
            return report
        } catch let error as RosterImportError {
            throw OperationError(error)
        }
    }

    package func followUp(on subject: RosterImport, _ followUp: FollowUp) async throws {
        try await followUp.tellOfDepartures()
        try await followUp.bringSearchIndexesUpToDate()
    }
}
