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
    let now: Date
    let ending: ImportEnding
    let progress: ProgressMeter

    func run(_ limits: ArchiveLimits) throws -> ImportReport {
        _ = try session.read { try findOrganization(in: $0) }
        let defects = DefectLog()
        guard
            let source = RosterSource.open(files, limits: limits, defects: defects)
        else { return try end(ImportReport(.defective, defects: [defects])) }
        try StagingTables.create(in: session)
        try session.bulkInsert(into: "wanted_new_person", columns: ["source_id"]) { writer in
            for id in newPeople {
                try writer.append(id.precomposedStringWithCanonicalMapping)
                try writer.endRow()
            }
        }
        let staged = try RosterStager(session: session, defects: defects, progress: progress).stage(source)
        try check(staged, defects)
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
                let differences = RosterDifferences(organization: plan.organization.id, transaction: transaction)
                return (plan, try plan.outcome == nil ? query.map(differences.list) : nil)
            }
            return ImportReport(plan.outcome ?? .planned, plan, listing: listing, defects: [defects, plan.defects])
        case .apply(let approval, let identities):
            return try apply(staged, from: source, Approvals(plan: approval, identities: identities), defects)
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
                package = try RosterPackage(source, digest: staged.digest)
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
        return try session.write { try leave(first, kept, defects, in: $0) }
    }

    /// Ends an import whose files have errors.
    private func end(_ report: ImportReport) throws -> ImportReport {
        if case .planOnly = mode { return report }
        return try session.write { transaction in try ending.settle(transaction) { _ in report } }
    }

    /// Checks that need the files only.
    private func check(_ staged: RosterStager.Staged, _ defects: DefectLog) throws {
        let checks = RosterChecks(session: session, staged: staged, defects: defects)
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

extension ImportRun {
    /// The ids of plans that somebody has approved.
    struct Approvals {
        var plan: String?
        /// The plan id by which a person approved that ids pass to people who seem to be others.
        var identities: String?
    }
}

// MARK: In a transaction, which may run more than once

extension ImportRun {
    struct Plan {
        let organization: Organization
        let digest: String
        let state: RosterState
        let planID: String?
        let counts: ImportCounts
        let identities: IdentityChanges
        let held: [HeldReason]
        let defects: DefectLog
        var term: TermID?
        /// Classes that were archived by hand, which the files do not name any more.
        var forgottenClasses = 0

        /// Nil if there is something to do.
        var outcome: ImportReport.Outcome? {
            if defects.errorCount > 0 { return .defective }
            return forgottenClasses == 0 && RecordType.allCases.allSatisfy { counts[$0].isUnchanged }
                ? .nothingToDo : nil
        }

        /// Whether it can be applied as it is.
        var isReady: Bool { outcome == nil && held.isEmpty }

        /// What it changes, in numbers, for the audit trail.
        var summary: String { counts.summary + identities.summary }

        /// Whether people are deactivated and have to be signed out.
        var endsSessions: Bool { counts.students.deactivated + counts.staff.deactivated + identities.passedOn > 0 }
    }

    private func findOrganization(in transaction: some Transaction) throws -> Organization {
        guard let found = try Organization.find(organization, in: transaction) else {
            throw DirectoryError.unknownOrganization(String(organization.rawValue))
        }
        guard found.kind == .school else { throw RosterImportError.notASchool(found.name) }
        return found
    }

    /// - Throws: ``RosterImportError`` if there is no such term, or it is closed
    private func findTerm(of organization: Organization, in transaction: some Transaction) throws -> Term? {
        guard let name = term?.precomposedStringWithCanonicalMapping else { return nil }
        guard let found = try Term.find(name, in: organization.id, transaction) else {
            throw RosterImportError.unknownTerm(name)
        }
        guard found.closedAt == nil else { throw RosterImportError.closedTerm(name) }
        guard found.location == nil else { throw RosterImportError.termOfOneLocation(name) }
        return found
    }

    /// Defects that show only in comparison with the organization's records.
    private func findDefects<T: Transaction>(
        of organization: Organization, _ staged: RosterStager.Staged, in transaction: T
    ) throws -> (defects: DefectLog, differences: RosterDifferences<T>, names: UserNames<T>) {
        let defects = DefectLog()
        let differences = RosterDifferences(
            organization: organization.id, transaction: transaction,
            term: try findTerm(of: organization, in: transaction)?.id)
        let names = UserNames(format: try organization.userNameFormat, differences: differences, session: session)
        try differences.match()
        try names.make(defects)
        if !staged.incomplete.contains(.locations) { try differences.reportLocationsInUse(to: defects) }
        try differences.reportManualPeople(to: defects)
        try differences.reportRestoredClasses(to: defects)
        try differences.reportNewPeople(to: defects)
        if !staged.hasDisplayNames { try differences.keepDisplayNames() }
        return (defects, differences, names)
    }

    private func makePlan(
        _ staged: RosterStager.Staged, _ approvals: Approvals, in transaction: some Transaction
    ) throws -> Plan {
        progress.report(.comparing, 0)
        let organization = try findOrganization(in: transaction)
        let state = try RosterState(of: organization, in: transaction)
        let (defects, differences, names) = try findDefects(of: organization, staged, in: transaction)
        guard defects.errorCount == 0 else {
            return Plan(
                organization: organization, digest: staged.digest, state: state, planID: nil, counts: ImportCounts(),
                identities: IdentityChanges(), held: [], defects: defects)
        }
        var memberships = RecordCounts()
        var identities = IdentityChanges()
        try progress.run(
            .comparing,
            [
                names.distinguish, differences.compareLocations, differences.comparePeople,
                { try differences.keepLastAdministrator(defects) },
                { identities = try differences.compareIdentities(defects) },
                differences.compareRoles, differences.compareCourses, differences.compareClasses,
                differences.compareInstructors,
                { memberships = try differences.compareMemberships() },
            ])
        let counts = try differences.counts(rows: staged.rows, memberships: memberships)
        let planID = state.planID(digest: staged.digest, counts: counts, newPeople: newPeople, term: differences.term)
        let thresholds = try ImportThresholds.find(for: organization.id, in: transaction)
        let people = counts.students.existing + counts.staff.existing
        let endedTerms = try differences.endingTerms().map(HeldReason.init)
        var held =
            (approvals.plan == planID ? [] : thresholds.reasons(toHold: counts) + endedTerms)
            + (approvals.identities == planID ? [] : thresholds.reasons(toHold: identities, among: people))
        if [approvals.plan, approvals.identities].contains(where: { $0 != nil && $0 != planID }) {
            held.append(HeldReason(rule: .staleApproval, type: nil, count: 0, existing: 0, percentMax: nil))
        }
        return Plan(
            organization: organization, digest: staged.digest, state: state, planID: planID, counts: counts,
            identities: identities, held: held, defects: defects,
            term: differences.term, forgottenClasses: try differences.forgottenClasses())
    }

    /// Whether the records are unchanged since the plan was made. False if one has changed in the second in which the
    /// import began or later, because times have whole seconds.
    private func stands(_ plan: Plan, in transaction: some Transaction) throws -> Bool {
        let organization = try findOrganization(in: transaction)
        return try plan.state == RosterState(of: organization, in: transaction)
            && plan.state.lastChange < Int(now.timeIntervalSince1970)
    }

    private func carryOut(
        _ plan: Plan, _ package: RosterPackage?, _ defects: DefectLog, in transaction: WriteTransaction
    ) throws -> ImportReport {
        try ending.settle(transaction) { note in
            let application = try RosterApplication.begin(
                organization: plan.organization.id, term: plan.term, digest: plan.digest, summary: plan.counts.json,
                endsSessions: plan.endsSessions, at: now, in: transaction)
            // The audit entry comes before the rows, so that other writers to the same trail wait from here on. Written
            // last, it could lose against one of them, and PostgreSQL would make the import start over.
            try note(.applied(importID: application.importID, plan.summary))
            try progress.run(.applying, application.steps)
            if let package { try ending.keep(package, .applied(importID: application.importID), transaction) }
            return ImportReport(
                .applied, plan, importID: application.importID, defects: [defects, plan.defects])
        }
    }

    /// Ends an import that changes nothing, because it is held, or because there is nothing to do.
    private func leave(
        _ plan: Plan, _ package: RosterPackage?, _ defects: DefectLog, in transaction: WriteTransaction
    ) throws -> ImportReport {
        try ending.settle(transaction) { note in
            let last = try AuditRecord.lastImport(of: plan.organization.id, in: transaction)
            switch plan.outcome {
            case nil:
                let event = ImportEnding.Event.held(planID: plan.planID ?? "")
                if last?.isHeld != true || last?.detail != event.detail { try ending.onHeld(plan.counts, transaction) }
                try note(event)
                if let package { try ending.keep(package, .held, transaction) }
            // The files match the records, so that none is held any more.
            case .nothingToDo where last?.isHeld == true: try note(.nothingToDo)
            default: break
            }
            return ImportReport(plan.outcome ?? .held, plan, defects: [defects, plan.defects])
        }
    }
}
