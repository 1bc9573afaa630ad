import Directory
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
        let limit = try PageLimit.check(limit, atMost: Self.limitMax)
        func package(_ reference: ImportReference) throws -> RosterPackage {
            try reference.files(of: organization.id, in: transaction).open(context.services, in: transaction)
        }
        do {
            return try RosterComparison(
                before: package(from), after: package(`import`), of: organization.kind, rowsMax: limit
            ).run()
        } catch let error as RosterImportError {
            throw OperationError(error)
        }
    }
}
