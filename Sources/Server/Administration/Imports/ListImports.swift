import Directory
import Foundation
import RosterFiles
import Storage

/// Lists the imports that were applied, the newest first.
package struct ListImports: Inquiry {
    package static let name = "import.list"
    package static let summary = "Lists the imports that were applied, the newest first, with what each has changed."
    package static let privilege = Privilege.importRoster
    package static let route = OperationRoute(.get, "imports")
    package static let explanations = [
        "before": "The number before which the page begins: `next` of the page before.",
        "limit": "How many, 1 000 at most.",
    ]

    package struct Answer: Codable, Sendable {
        package let imports: [ImportSummary]
        /// The `before` of the next page; nil on the last one.
        package let next: Int64?
        /// The import that waits for approval; nil if none does.
        package let held: HeldImport?
    }

    package struct HeldImport: Codable, Equatable, Sendable {
        package let at: Date
        /// The id by which the plan is approved.
        package let planID: String
        /// Whether its files are kept, so that they need not be sent again.
        package let filesAreKept: Bool

        fileprivate init?(in organization: Organization, _ transaction: some Transaction) throws {
            guard let last = try AuditRecord.lastImport(of: organization.id, in: transaction), last.isHeld,
                let planID = ImportEnding.Event.planID(in: last.detail)
            else { return nil }
            at = last.at
            self.planID = planID
            filesAreKept = try ImportFiles.findHeld(in: organization.id, transaction) != nil
        }
    }

    package let before: Int64?
    package let limit: Int?

    private static let limitMax = 1_000

    package init(before: Int64? = nil, limit: Int? = nil) {
        self.before = before
        self.limit = limit
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Organization {
        try context.requiredOrganization(transaction)
    }

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let limit = try PageLimit.check(limit, atMost: Self.limitMax)
        let found = try AppliedImport.page(
            of: organization.id, before: before ?? .max, limit: limit + 1, in: transaction)
        return Answer(
            imports: try found.prefix(limit).map(ImportSummary.init),
            next: found.count > limit ? found[limit - 1].id : nil,
            held: try HeldImport(in: organization, transaction))
    }
}
