import Directory
import Storage

/// Gives an import up that waits for approval, because its files were wrong, or were replaced by others.
package struct DiscardImport: Change {
    package typealias Answer = ListImports.Held

    package static let name = "import.discard"
    package static let summary = """
        Gives an import up that waits for approval: it waits no more, and its files are deleted. No record is changed.
        """
    package static let privilege = Privilege.importRoster
    package static let route = OperationRoute(.post, "imports/{import}/discard")
    package static let explanations = [
        "import": "The id of the plan that waits, or `\(ImportReference.held)` if only one does."
    ]
    package static let undo = UndoRule.impossible("Import the files again: they are held anew if they are the same.")
    package static let hasBulkForm = false

    package let `import`: ImportReference

    package init(import: ImportReference) { self.import = `import` }

    package func carryOut(on organization: Organization, _: Void, in act: Act) throws -> ListImports.Held {
        let (held, schools) = try `import`.held(in: organization, act.transaction)
        try act.record(
            .rosterImportDiscarded, on: organization, called: organization.name,
            ImportTrail.discarded(held.planID, of: schools))
        try ImportFiles.deleteApproved(of: organization.id, in: act.transaction)
        return held
    }
}
