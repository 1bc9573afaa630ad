import Directory
import Foundation
import Storage

extension ImportRun {
    /// The ids of plans that somebody has approved.
    struct Approvals {
        var plan: String?
        /// Whether a plan that nobody has approved waits in any case.
        var areRequired = false
        /// The plan id by which a person approved that ids pass to people who seem to be others.
        var identities: String?
    }
}

/// What happens in transactions, which may run more than once.
extension ImportRun {
    struct Plan {
        let organization: Organization
        let scope: ImportScope
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

    func findOrganization(in transaction: some Transaction) throws -> Organization {
        guard let found = try Organization.find(organization, in: transaction) else {
            throw DirectoryError.unknownOrganization(String(organization.rawValue))
        }
        try found.checkIsOpen()
        return found
    }

    func findScope(of organization: Organization, in transaction: some Transaction) throws -> ImportScope {
        try ImportScope(schools, of: organization, in: transaction)
    }

    /// - Throws: ``RosterImportError`` if there is no such term, or it is closed
    func findTerm(
        of organization: Organization, _ scope: ImportScope, in transaction: some Transaction
    ) throws -> Term? {
        guard let name = term?.precomposedStringWithCanonicalMapping else { return nil }
        guard let found = try Term.find(name, in: organization.id, transaction) else {
            throw RosterImportError.unknownTerm(name)
        }
        guard found.closedAt == nil else { throw RosterImportError.closedTerm(name) }
        guard found.location == nil || scope.schools.map(\.id) == [found.location] else {
            throw RosterImportError.termOfOneLocation(name)
        }
        return found
    }

    /// Defects that show only in comparison with the organization's records.
    func findDefects<T: Transaction>(
        of organization: Organization, _ staged: RosterStager.Staged, in transaction: T
    ) throws -> (defects: DefectLog, differences: RosterDifferences<T>, names: UserNames<T>) {
        let defects = DefectLog()
        let scope = try findScope(of: organization, in: transaction)
        let differences = RosterDifferences(
            organization: organization.id, transaction: transaction, scope: scope,
            term: try findTerm(of: organization, scope, in: transaction)?.id)
        let names = UserNames(format: try organization.userNameFormat, differences: differences, session: session)
        try differences.match()
        try names.make(defects)
        let readsLocations = !staged.incomplete.contains(.locations)
        try differences.reportOtherSchools(to: defects, readsLocations: readsLocations)
        if readsLocations { try differences.reportLocationsInUse(to: defects, at: now) }
        try differences.reportManualPeople(to: defects)
        try differences.reportRestoredClasses(to: defects)
        try differences.reportNewPeople(to: defects)
        if !staged.hasDisplayNames { try differences.keepDisplayNames() }
        return (defects, differences, names)
    }

    func makePlan(
        _ staged: RosterStager.Staged, _ approvals: Approvals, in transaction: some Transaction
    ) throws -> Plan {
        progress.report(.comparing, 0)
        let organization = try findOrganization(in: transaction)
        let state = try RosterState(of: organization, in: transaction)
        let (defects, differences, names) = try findDefects(of: organization, staged, in: transaction)
        guard defects.errorCount == 0 else {
            return Plan(
                organization: organization, scope: differences.scope, digest: staged.digest, state: state, planID: nil,
                counts: ImportCounts(), identities: IdentityChanges(), held: [], defects: defects)
        }
        var memberships = RecordCounts()
        var identities = IdentityChanges()
        try progress.run(
            .comparing,
            [
                names.distinguish, differences.compareLocations, differences.comparePeople,
                { try differences.keepLastAdministrator(defects, at: now) },
                { identities = try differences.compareIdentities(defects) },
                differences.compareRoles, differences.compareCourses, differences.compareClasses,
                differences.compareInstructors,
                { memberships = try differences.compareMemberships() },
            ])
        let counts = try differences.counts(rows: staged.rows, memberships: memberships)
        let planID = state.planID(
            digest: staged.digest, counts: counts, newPeople: newPeople, term: differences.term,
            schools: try differences.schoolParts(identities))
        let thresholds = try ImportThresholds.find(for: organization.id, in: transaction)
        let people = counts.students.existing + counts.staff.existing
        let endedTerms = try differences.endingTerms().map(HeldReason.init)
        var held =
            (approvals.plan == planID ? [] : thresholds.reasons(toHold: counts) + endedTerms)
            + (approvals.identities == planID ? [] : thresholds.reasons(toHold: identities, among: people))
        if [approvals.plan, approvals.identities].contains(where: { $0 != nil && $0 != planID }) {
            held.append(HeldReason(rule: .staleApproval, type: nil, count: 0, existing: 0, percentMax: nil))
        }
        if approvals.areRequired, approvals.plan != planID, held.isEmpty {
            held.append(HeldReason(rule: .requested, type: nil, count: 0, existing: 0, percentMax: nil))
        }
        for index in held.indices { held[index].school = differences.scope.name }
        return Plan(
            organization: organization, scope: differences.scope, digest: staged.digest, state: state, planID: planID,
            counts: counts, identities: identities, held: held, defects: defects,
            term: differences.term, forgottenClasses: try differences.forgottenClasses())
    }

    /// Whether the records are unchanged since the plan was made. False if one has changed in the second in which the
    /// import began or later, because times have whole seconds.
    func stands(_ plan: Plan, in transaction: some Transaction) throws -> Bool {
        let organization = try findOrganization(in: transaction)
        return try plan.state == RosterState(of: organization, in: transaction)
            && plan.state.lastChange < Int(now.timeIntervalSince1970)
    }

    func carryOut(
        _ plan: Plan, _ package: RosterPackage?, _ defects: DefectLog, in transaction: WriteTransaction
    ) throws -> ImportReport {
        try ending.settle(transaction) { note in
            let application = try RosterApplication.begin(
                organization: plan.organization.id, term: plan.term, digest: plan.digest,
                summary: plan.counts.json(for: plan.scope), endsSessions: plan.endsSessions, at: now, in: transaction)
            // The audit entry comes before the rows, so that other writers to the same trail wait from here on. Written
            // last, it could lose against one of them, and PostgreSQL would make the import start over.
            try note(.applied(importID: application.importID, schools: plan.scope.ids, plan.summary))
            try progress.run(.applying, application.steps)
            let report = ImportReport(
                .applied, plan, importID: application.importID, defects: [defects, plan.defects])
            if let package { try ending.keep(package, .applied(importID: application.importID), report, transaction) }
            return report
        }
    }

    /// Ends an import that changes nothing, because it is held, or because there is nothing to do.
    /// - Parameter listing: the people whom the plan concerns, for whoever is to approve it.
    func leave(
        _ plan: Plan, _ package: RosterPackage?, _ defects: DefectLog, listing: PlanListing? = nil,
        in transaction: WriteTransaction
    ) throws -> ImportReport {
        try ending.settle(transaction) { note in
            let report = ImportReport(plan.outcome ?? .held, plan, listing: listing, defects: [defects, plan.defects])
            let held = try HeldImport.list(of: plan.organization.id, in: transaction)
            switch plan.outcome {
            case nil:
                let planID = plan.planID ?? ""
                let event = ImportEnding.Event.held(planID: planID, schools: plan.scope.ids)
                if !held.contains(where: { $0.detail == event.detail }) {
                    try ending.onHeld(plan.counts, plan.scope.name, transaction)
                }
                try note(event)
                if let package { try ending.keep(package, .held(planID: planID), report, transaction) }
            // The files match the records, so that nothing that they are about is held any more.
            case .nothingToDo where held.contains(where: plan.scope.covers):
                try note(.nothingToDo(schools: plan.scope.ids))
            default: break
            }
            return report
        }
    }
}
