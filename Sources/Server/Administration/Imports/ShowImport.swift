import Directory
import Foundation
import RosterFiles
import Storage

/// Shows one import: what it has done, or would do once it is approved.
package struct ShowImport: Inquiry {
    package static let name = "import.show"
    package static let summary = """
        Shows an import: what it has changed, or what one that waits for approval would change, with the people whom \
        it concerns.
        """
    package static let privilege = Privilege.importRoster
    package static let route = OperationRoute(.get, "imports/{import}")
    package static let explanations = [
        "import": """
        The number of the import, or `\(ImportReference.held)` or the id of its plan for one that waits for approval.
        """,
        "effect": "Only the people of whom this becomes.",
        "after": "`next` of the page before.",
        "limit": "How many people, 1 000 at most.",
    ]
    package static let isAboutEverybody = true

    package struct Answer: Codable, Sendable {
        /// Nil for an import that waits for approval.
        package let applied: ImportSummary?
        /// When the files came.
        package let at: Date
        /// The id by which the plan is approved; nil for an import that was applied.
        package let planID: String?
        /// The name of the term to which the classes of the files belong; nil if none was named.
        package let term: String?
        /// The names of the schools whose files they are; nil for files of the whole organization.
        package let schools: [String]?
        /// What was found and planned. Nil if it is not kept any more. Of those who come, change or leave in a plan
        /// that waits, it lists the first 1 000 each; of an import that was applied, nobody.
        package let report: ImportReport?
        /// Whether `import.undo` would take it back now; false for an import that waits for approval.
        package let canBeTakenBack: Bool
        /// Why it cannot be taken back, if a later import is the reason: some of the records that it has touched as well.
        /// Otherwise empty.
        package let touchedLater: [TouchedRecord]
    }

    package let `import`: ImportReference
    package let effect: PlannedPerson.Effect?
    package let after: Int?
    package let limit: Int?

    private static let limitMax = 1_000

    package init(
        import: ImportReference, effect: PlannedPerson.Effect? = nil, after: Int? = nil, limit: Int? = nil
    ) {
        self.import = `import`
        self.effect = effect
        self.after = after
        self.limit = limit
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Organization {
        try context.requiredOrganization(transaction)
    }

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let limit = try PageLimit.check(limit, atMost: Self.limitMax)
        let services = context.services
        if let number = Int64(`import`.text),
            let applied = try AppliedImport.find(number, of: organization.id, in: transaction)
        {
            let files = try ImportFiles.find(of: number, in: organization.id, transaction)
            let (canBeTakenBack, touchedLater) = try Self.undoing(applied, of: organization, transaction)
            return Answer(
                applied: try ImportSummary(applied, filesAreKept: files != nil), at: applied.appliedAt, planID: nil,
                term: try files?.input(services, in: transaction).term, schools: applied.schools?.map(\.name),
                report: try files?.report(services, in: transaction), canBeTakenBack: canBeTakenBack,
                touchedLater: touchedLater)
        }
        let waiting = try HeldImport.list(of: organization.id, in: transaction)
        let named = waiting.filter { `import`.text == ImportReference.held || $0.planID == `import`.text }
        guard named.count <= 1 else {
            throw OperationError.ambiguous(.rosterImport, `import`.text, named.compactMap(\.planID).sorted())
        }
        guard let held = named.first, let planID = held.planID else {
            throw OperationError.notFound(.rosterImport, `import`.text, in: organization.name)
        }
        let files = try ImportFiles.held(in: organization.id, transaction)[planID]
        let schools = try held.schools.sorted().compactMap {
            try Location.find($0, in: organization.id, transaction)?.name
        }
        var report = try files?.report(services, in: transaction)
        let listing = report?.listing?.page(of: effect, after: after ?? 0, limit: limit)
        report?.listing = listing
        return Answer(
            applied: nil, at: held.at, planID: planID, term: try files?.input(services, in: transaction).term,
            schools: schools.isEmpty ? nil : schools, report: report, canBeTakenBack: false, touchedLater: [])
    }

    private static func undoing(
        _ applied: AppliedImport, of organization: Organization, _ transaction: some Transaction
    ) throws -> (canBeTakenBack: Bool, touchedLater: [TouchedRecord]) {
        do {
            _ = try ImportUndo(Int(applied.id), of: organization.id, in: transaction)
            return (true, [])
        } catch RosterImportError.touchedLater(_, let records) {
            return (false, records)
        } catch is RosterImportError {
            return (false, [])
        }
    }
}

extension PlanListing {
    /// A page of the people who are listed.
    /// - Parameter after: how many of them the pages before had.
    fileprivate func page(of effect: PlannedPerson.Effect?, after: Int, limit: Int) -> PlanListing {
        let chosen = people.filter { effect == nil || $0.effect == effect }
        let page = chosen.dropFirst(max(0, after)).prefix(limit)
        return PlanListing(
            schools: schools, people: Array(page), next: page.endIndex < chosen.endIndex ? page.endIndex : nil)
    }
}
