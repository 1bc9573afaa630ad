import Directory
import Foundation
import Storage

/// One import, from the files to the report.
struct ImportRun {
    let session: Session
    let organization: OrganizationID
    let mode: RosterImporter.Mode
    let actor: Actor
    let origin: Origin
    let now: Date
    let progress: ProgressMeter

    func run(_ path: String, _ limits: ArchiveLimits) throws -> ImportReport {
        let organization = try session.read { transaction in
            guard let found = try Organization.find(self.organization, in: transaction) else {
                throw DirectoryError.unknownOrganization(String(self.organization.rawValue))
            }
            return found
        }
        let defects = DefectLog()
        guard let source = RosterSource.open(at: path, limits: limits, defects: defects) else {
            return ImportReport(.defective, defects: [defects])
        }
        try StagingTables.create(in: session)
        let staged = try RosterStager(session: session, defects: defects, progress: progress).stage(source)
        try check(staged, defects)
        guard defects.errorCount == 0 else {
            let further = try session.read { transaction in
                try findDefects(of: organization, staged, in: transaction).defects
            }
            return ImportReport(.defective, digest: staged.digest, defects: [defects, further])
        }
        switch mode {
        case .planOnly:
            let plan = try session.read { try makePlan(for: organization, staged, approval: nil, in: $0) }
            return ImportReport(plan.outcome ?? .planned, plan, defects: [defects, plan.defects])
        case .apply(let approval):
            return try session.write { transaction in
                try transaction.lockRoster()
                let plan = try makePlan(for: organization, staged, approval: approval, in: transaction)
                let importID = try finish(plan, of: organization, in: transaction)
                return ImportReport(
                    plan.outcome ?? (importID == nil ? .held : .applied), plan, importID: importID,
                    defects: [defects, plan.defects])
            }
        }
    }

    /// What can be told from the files alone.
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
                { if defects.errorCount == 0 { try resolver.resolveClassesAndRoles() } },
            ])
    }
}

// MARK: In a transaction, which may run more than once

extension ImportRun {
    struct Plan {
        let digest: String
        let planID: String?
        let counts: ImportCounts
        let held: [HeldReason]
        let defects: DefectLog

        /// Nil if there is something to do.
        var outcome: ImportReport.Outcome? {
            if defects.errorCount > 0 { return .defective }
            return RecordType.allCases.allSatisfy { counts[$0].isUnchanged } ? .nothingToDo : nil
        }
    }

    /// What only the organization's records tell to be wrong.
    private func findDefects<T: Transaction>(
        of organization: Organization, _ staged: RosterStager.Staged, in transaction: T
    ) throws -> (defects: DefectLog, differences: RosterDifferences<T>, names: UserNames<T>) {
        let defects = DefectLog()
        let differences = RosterDifferences(organization: organization.id, transaction: transaction)
        let names = UserNames(format: organization.userNameFormat, differences: differences, session: session)
        try differences.match()
        try names.make(defects)
        if !staged.incomplete.contains(.locations) { try differences.reportLocationsInUse(to: defects) }
        try differences.reportLeftAlone(to: defects)
        return (defects, differences, names)
    }

    private func makePlan(
        for organization: Organization, _ staged: RosterStager.Staged, approval: String?,
        in transaction: some Transaction
    ) throws -> Plan {
        progress.report(.comparing, 0)
        let (defects, differences, names) = try findDefects(of: organization, staged, in: transaction)
        guard defects.errorCount == 0 else {
            return Plan(digest: staged.digest, planID: nil, counts: ImportCounts(), held: [], defects: defects)
        }
        var memberships = RecordCounts()
        try progress.run(
            .comparing,
            [
                names.distinguish, differences.compareLocations, differences.comparePeople,
                { try differences.keepLastAdministrator(defects) }, differences.compareRoles,
                differences.compareCourses,
                differences.compareClasses, differences.compareInstructors,
                { memberships = try differences.compareMemberships(inFile: staged.rows[.rosters, default: 0]) },
            ])
        let counts = try differences.counts(rows: staged.rows, memberships: memberships)
        let planID = try differences.planID(of: organization, digest: staged.digest, counts: counts)
        var held = try ImportThresholds.find(for: organization.id, in: transaction).reasons(toHold: counts)
        if let approval {
            held =
                approval == planID
                ? [] : held + [HeldReason(rule: .staleApproval, type: nil, count: 0, existing: 0, percentMax: nil)]
        }
        return Plan(digest: staged.digest, planID: planID, counts: counts, held: held, defects: defects)
    }

    /// Applies the plan, or notes that it is held.
    /// - Returns: the id of the import; nil if nothing was changed.
    private func finish(_ plan: Plan, of organization: Organization, in transaction: WriteTransaction) throws -> Int? {
        guard plan.outcome == nil else { return nil }
        let subject = "organization:\(organization.publicID)"
        guard plan.held.isEmpty else {
            try AuditEntry(
                .rosterImported, by: actor, on: subject, outcome: .refused, detail: "plan \(plan.planID ?? "") is held",
                from: origin
            ).append(to: organization.id, at: now, in: transaction)
            return nil
        }
        let application = try RosterApplication.begin(
            organization: organization.id, digest: plan.digest, summary: plan.counts.json, at: now, in: transaction)
        try progress.run(.applying, application.steps)
        try AuditEntry(
            .rosterImported, by: actor, on: subject, outcome: .done,
            detail: "import \(application.importID): \(plan.counts.summary)", from: origin
        ).append(to: organization.id, at: now, in: transaction)
        return application.importID
    }
}
