import Directory
import Foundation
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
        /// The imports that wait for approval: one for each school that has files of its own, and one for the whole
        /// organization.
        package let held: [Held]
    }

    package struct Held: Codable, Equatable, Sendable {
        package let at: Date
        /// The id by which the plan is approved.
        package let planID: String
        /// The names of the schools whose files they are; nil for files of the whole organization.
        package let schools: [String]?
        /// Whether its files are kept, so that they need not be sent again.
        package let filesAreKept: Bool
    }

    package let before: Int64?
    package let limit: Int?

    private static let limitMax = 1_000

    package init(before: Int64? = nil, limit: Int? = nil) {
        self.before = before
        self.limit = limit
    }

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let limit = try PageLimit.check(limit, atMost: Self.limitMax)
        let found = try AppliedImport.page(
            of: organization.id, before: before ?? .max, limit: limit + 1, in: transaction)
        let kept = try ImportFiles.imports(of: organization.id, in: transaction)
        return Answer(
            imports: try found.prefix(limit).map { try ImportSummary($0, filesAreKept: kept.contains($0.id)) },
            next: found.count > limit ? found[limit - 1].id : nil,
            held: try HeldImport.list(of: organization.id, in: transaction).compactMap {
                try Held($0, in: organization, transaction)
            })
    }
}

extension ListImports.Held {
    /// - Returns: nil for an import of an older version, which has no plan to be named by
    init?(_ held: HeldImport, in organization: Organization, _ transaction: some Transaction) throws {
        guard let planID = held.planID else { return nil }
        let schools = try held.schools.sorted().compactMap {
            try Location.find($0, in: organization.id, transaction)?.name
        }
        at = held.at
        self.planID = planID
        self.schools = schools.isEmpty ? nil : schools
        filesAreKept = try ImportFiles.held(in: organization.id, transaction)[planID] != nil
    }
}
