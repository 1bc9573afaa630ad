import Directory
import Foundation
import Storage

/// One import, from the files to the report.
struct ImportRun {
    let session: DatabaseSession
    let files: RosterImporter.Files
    let organization: OrganizationID
    let mode: RosterImporter.Mode
    let newPeople: Set<String>
    let term: String?
    let schools: [LocationID]
    let now: Date
    let ending: ImportEnding
    let progress: ProgressMeter

    func run(_ limits: ArchiveLimits) throws -> ImportReport {
        let found = try session.read { transaction in
            let found = try findOrganization(in: transaction)
            _ = try findScope(of: found, in: transaction)
            return found
        }
        let defects = DefectLog()
        guard let source = RosterSource.open(files, for: found.kind, limits: limits, defects: defects) else {
            return try end(ImportReport(.defective, defects: [defects]))
        }
        guard source.files.isSubset(of: RosterFile.files(of: found.kind)) else {
            throw RosterImportError.notASchool(found.name)
        }
        try StagingTables.create(in: session)
        try session.bulkInsert(into: "wanted_new_person", columns: ["source_id"]) { writer in
            for id in newPeople {
                try writer.append(id.precomposedStringWithCanonicalMapping)
                try writer.endRow()
            }
        }
        let stager = RosterStager(session: session, kind: found.kind, defects: defects, progress: progress)
        let staged = try stager.stage(source)
        if found.kind == .business { try BusinessPlaces.stage(of: organization, in: session) }
        try check(staged, of: found.kind, defects)
        guard defects.errorCount == 0 else {
            let further = try session.read { transaction in
                try findDefects(of: findOrganization(in: transaction), staged, in: transaction).defects
            }
            return try end(ImportReport(.defective, digest: staged.digest, defects: [defects, further]))
        }
        switch mode {
        case .planOnly(let query):
            let (plan, listing) = try session.read { transaction in
                let plan = try makePlan(staged, Approvals(), in: transaction)
                let differences = RosterDifferences(
                    organization: plan.organization.id, transaction: transaction, scope: plan.scope)
                return (plan, try plan.outcome == nil ? query.map(differences.list) : nil)
            }
            return ImportReport(plan.outcome ?? .planned, plan, listing: listing, defects: [defects, plan.defects])
        case .apply(let approval, let identities, let holds):
            return try apply(
                staged, from: source, Approvals(plan: approval, areRequired: holds, identities: identities), defects)
        }
    }

    /// Makes the plan without blocking other writers, and locks only if there is something to apply. If the records
    /// have changed in between, the plan is made again under the lock.
    private func apply(
        _ staged: RosterStager.Staged, from source: RosterSource, _ approvals: Approvals, _ defects: DefectLog
    ) throws -> ImportReport {
        let first = try session.read { try makePlan(staged, approvals, in: $0) }
        // Before anything is locked. If there is something to do, the files are kept, whether it is done or held.
        var package: RosterPackage?
        if first.outcome == nil, ending.keeps {
            do {
                package = try RosterPackage(source, of: first.organization.kind, digest: staged.digest)
            } catch let error as UnreadableFile {
                defects.report(error.code, in: files.name, error.message, remedy: error.remedy)
                return try end(ImportReport(.defective, digest: staged.digest, defects: [defects]))
            }
        }
        let kept = package
        if first.isReady {
            let report = try session.write { transaction -> ImportReport? in
                try transaction.lockRoster(and: first.endsSessions ? Departure.tables : [])
                guard try stands(first, in: transaction) else { return nil }
                return try carryOut(first, kept, defects, in: transaction)
            }
            if let report { return report }
            return try session.write { transaction in
                try transaction.lockRoster(and: Departure.tables + ["audit_entry"])
                let plan = try makePlan(staged, approvals, in: transaction)
                return plan.isReady
                    ? try carryOut(plan, kept, defects, in: transaction)
                    : try leave(plan, kept, defects, in: transaction)
            }
        }
        let listing = first.outcome == nil && ending.keeps ? try session.read { try list(first, in: $0) } : nil
        return try session.write { try leave(first, kept, defects, listing: listing, in: $0) }
    }

    /// How many people of each effect are kept with a plan that waits.
    private static let listedMax = 1_000

    /// The first people whom a plan concerns, of each effect.
    private func list(_ plan: Plan, in transaction: some Transaction) throws -> PlanListing {
        let differences = RosterDifferences(
            organization: plan.organization.id, transaction: transaction, scope: plan.scope)
        let listings = try PlannedPerson.Effect.allCases.map { effect in
            try differences.list(PlanListing.Query(effects: [effect], limit: Self.listedMax))
        }
        return PlanListing(schools: listings[0].schools, people: listings.flatMap(\.people), next: nil)
    }

    /// Ends an import whose files have errors.
    private func end(_ report: ImportReport) throws -> ImportReport {
        if case .planOnly = mode { return report }
        return try session.write { transaction in try ending.settle(transaction) { _ in report } }
    }

    /// Checks that need the files only.
    private func check(_ staged: RosterStager.Staged, of kind: Organization.Kind, _ defects: DefectLog) throws {
        let checks = RosterChecks(session: session, kind: kind, staged: staged, defects: defects)
        let resolver = RosterResolver(session: session)
        var hasRepeatedMemberships = false
        try progress.run(
            .checking,
            [
                { try StagingTables.index(in: session) },
                { hasRepeatedMemberships = try resolver.resolveMemberships() },
                { try checks.checkKeys(hasRepeatedMemberships: hasRepeatedMemberships) },
                checks.checkReferences,
                checks.checkPlaces,
                { if hasRepeatedMemberships { try resolver.dropRepeatedMemberships() } },
                { if defects.errorCount == 0 { try resolver.resolveClassesAndRoles() } },
                { if defects.errorCount == 0, kind == .business { try BusinessPlaces.resolve(in: session) } },
            ])
        // People whose rows were not read would count as having left, so an incomplete file must always have a defect.
        guard defects.errorCount == 0 else { return }
        for file in RosterFile.allCases where staged.incomplete.contains(file) {
            defects.report(
                .unreadableFile, in: file.name, "The file could not be read whole.",
                remedy: "Make it again, and report this if it does not help.")
        }
    }
}
