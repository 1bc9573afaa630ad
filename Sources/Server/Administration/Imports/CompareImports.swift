import Directory
import Ground
import RosterFiles
import Storage

/// Says in what the files of two imports differ.
package struct CompareImports: Inquiry {
    package typealias Answer = RosterDifference

    package static let name = "import.compare"
    package static let summary = """
        Says in what the files of two imports differ, row by row: which were added, removed and changed, and how.
        """
    package static let privilege = Privilege.importRoster
    package static let route = OperationRoute(.get, "imports/{import}/difference")
    package static let explanations = [
        "import": "The number of the later import, or `\(ImportReference.held)` for the one that waits for approval.",
        "from": "The number of the earlier import.",
        "limit": "How many rows that differ are described, \(limitMax) at most. All are counted.",
    ]

    package static let isAboutEverybody = true

    private static let limitMax = 10_000

    package let `import`: ImportReference
    package let from: ImportReference
    package let limit: Int?

    package init(import: ImportReference, from: ImportReference, limit: Int? = nil) {
        self.import = `import`
        self.from = from
        self.limit = limit
    }

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> RosterDifference {
        try compare(archives(of: organization, in: context, transaction))
    }

    /// Comparing two archives of a city takes seconds. It is done after the transaction, and on a thread for such work,
    /// so that nobody waits for it.
    package func answer(
        in database: any Database, _ admit: @escaping @Sendable (ReadTransaction) throws -> Admitted<Self>
    ) async throws -> (answer: RosterDifference, admitted: Admitted<Self>) {
        let (found, admitted) = try await database.read { transaction in
            let admitted = try admit(transaction)
            return (try archives(of: admitted.subject, in: admitted.context, transaction), admitted)
        }
        return (try await Self.queue.run { try compare(found) }, admitted)
    }

    /// Two at once, so that comparing does not use up all processors.
    private static let queue = BlockingQueue(width: 2)

    private struct Archives: Sendable {
        let before: RosterPackage
        let after: RosterPackage
        let kind: Organization.Kind
        let rowsMax: Int
    }

    private func archives(
        of organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Archives {
        let rowsMax = try PageLimit.check(limit, atMost: Self.limitMax)
        func package(_ reference: ImportReference) throws -> RosterPackage {
            try reference.files(of: organization.id, in: transaction).open(context.services, in: transaction)
        }
        return Archives(
            before: try package(from), after: try package(`import`), kind: organization.kind, rowsMax: rowsMax)
    }

    private func compare(_ archives: Archives) throws -> RosterDifference {
        do {
            return try RosterComparison(
                before: archives.before, after: archives.after, of: archives.kind, rowsMax: archives.rowsMax
            ).run()
        } catch let error as RosterImportError {
            throw OperationError(error)
        }
    }
}
