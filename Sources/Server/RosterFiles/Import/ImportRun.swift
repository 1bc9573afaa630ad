import Directory
import Foundation
import Storage

/// One import, from the files to the report.
struct ImportRun {
    let session: DatabaseSession
    let organization: OrganizationID
    let mode: RosterImporter.Mode
    let newPeople: Set<String>
    let term: String?
    let actor: Actor
    let origin: Origin
    let now: Date
    let onHeld: RosterImporter.OnHeld
    let progress: ProgressMeter

    func run(_ path: String, _ limits: ArchiveLimits) throws -> ImportReport {
        _ = try session.read { try findOrganization(in: $0) }
        let defects = DefectLog()
        guard let source = RosterSource.open(at: path, limits: limits, defects: defects) else {
            return ImportReport(.defective, defects: [defects])
        }
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
            return ImportReport(.defective, digest: staged.digest, defects: [defects, further])
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
            return try apply(staged, Approvals(plan: approval, identities: identities), defects)
        }
    }

    /// Makes the plan without blocking other writers, and locks only if there is something to apply. If the records
    /// have changed in between, the plan is made again under the lock.
    private func apply(
        _ staged: RosterStager.Staged, _ approvals: Approvals, _ defects: DefectLog
    ) throws -> ImportReport {
        var plan = try session.read { try makePlan(staged, approvals, in: $0) }
        var importID: Int?
        if plan.isReady {
            let first = plan
            importID = try session.write { transaction -> Int? in
                try transaction.lockRoster(and: first.endsSessions ? Departure.tables : [])
                return try stands(first, in: transaction) ? carryOut(first, in: transaction) : nil
            }
            if importID == nil {
                (plan, importID) = try session.write { transaction -> (Plan, Int?) in
                    try transaction.lockRoster(and: Departure.tables + ["audit_entry"])
                    let plan = try makePlan(staged, approvals, in: transaction)
                    return (plan, plan.isReady ? try carryOut(plan, in: transaction) : nil)
                }
            }
        }
        if importID == nil {
            let last = plan
            if last.outcome == nil {
                try session.write { try noteHeld(last, in: $0) }
            } else if last.outcome == .nothingToDo, try session.read({ try isHeld(last.organization, in: $0) }) {
                try session.write { try noteNothingToDo(last, in: $0) }
            }
        }
        return ImportReport(
            plan.outcome ?? (importID == nil ? .held : .applied), plan, importID: importID,
            defects: [defects, plan.defects])
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

        /// Whether people are deactivated and have to be signed out.
        var endsSessions: Bool { counts.students.deactivated + counts.staff.deactivated + identities.passedOn > 0 }
    }

    private func findOrganization(in transaction: some Transaction) throws -> Organization {
        guard let found = try Organization.find(organization, in: transaction) else {
            throw DirectoryError.unknownOrganization(String(organization.rawValue))
        }
        guard found.kind == .school else { throw RosterImportError.notASchool(found.name) }
        try found.checkIsOpen()
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

    /// - Returns: the id of the import.
    private func carryOut(_ plan: Plan, in transaction: WriteTransaction) throws -> Int {
        let application = try RosterApplication.begin(
            organization: plan.organization.id, term: plan.term, digest: plan.digest, summary: plan.counts.json,
            endsSessions: plan.endsSessions, at: now, in: transaction)
        // The audit entry comes before the rows, so that other writers to the same trail wait from here on. Written
        // last, it could lose against one of them, and PostgreSQL would make the import start over.
        try AuditEntry(
            .rosterImported, by: actor, on: "organization:\(plan.organization.publicID)", outcome: .done,
            detail: "import \(application.importID): \(plan.counts.summary)\(plan.identities.summary)", from: origin
        ).append(to: plan.organization.id, at: now, in: transaction)
        try progress.run(.applying, application.steps)
        return application.importID
    }

    private func noteHeld(_ plan: Plan, in transaction: WriteTransaction) throws {
        let detail = "plan \(plan.planID ?? "") is held"
        let last = try AuditRecord.lastImport(of: plan.organization.id, in: transaction)
        if last?.isHeld != true || last?.detail != detail { try onHeld(plan.counts, transaction) }
        try AuditEntry(
            .rosterImported, by: actor, on: "organization:\(plan.organization.publicID)", outcome: .refused,
            detail: detail, from: origin
        ).append(to: plan.organization.id, at: now, in: transaction)
    }

    /// Whether the latest import event in the audit trail is a held import.
    private func isHeld(_ organization: Organization, in transaction: some Transaction) throws -> Bool {
        try AuditRecord.lastImport(of: organization.id, in: transaction)?.isHeld == true
    }

    /// Records in the audit trail that no import is held any more, since the files match the records.
    private func noteNothingToDo(_ plan: Plan, in transaction: WriteTransaction) throws {
        guard try isHeld(plan.organization, in: transaction) else { return }
        try AuditEntry(
            .rosterImported, by: actor, on: "organization:\(plan.organization.publicID)", outcome: .done,
            detail: "nothing to do", from: origin
        ).append(to: plan.organization.id, at: now, in: transaction)
    }
}
