import Authorization
import Directory
import Foundation
import Ground
import RosterFiles
import Storage
import Synchronization

/// Makes an organization's records match six files.
package struct ImportRoster: PlannedChange {
    package typealias Answer = ImportReport

    package static let name = "import.run"
    package static let summary = """
        Makes people, classes and memberships match six CSV files, or the people of a business one. If much would \
        change, it is held: repeat it with the plan that you approve.
        """
    package static let privilege = Privilege.importRoster
    package static let route = OperationRoute(.post, "imports", bodyBytesMax: 64 << 20)
    package static let explanations = [
        "archive": "A ZIP archive with the six files, in base64; \(archiveBytesMax >> 20) MiB at most before that.",
        "files": """
        In place of an archive: files that the server keeps. Either the number of the import with which they came, or \
        `\(ImportReference.held)` for those that wait for approval. They are imported as before: for the same schools, \
        term and new people.
        """,
        "approve": "The `planID` of the plan to be applied although it takes away or changes much.",
        "approveIdentities": "The `planID` of the plan to be applied although it gives ids to what looks like others.",
        "newPeople": """
        Person ids that have been given to somebody else: their rows become new accounts, and the former ones are \
        deactivated.
        """,
        "term": "The name of the term to which the classes of the files belong.",
        "schools": """
        The files are of these schools alone, and change nothing at others: each a location's id, number or name. All \
        of the organization if it is missing.
        """,
        "hold": "Hold the plan until somebody approves it, even if little would change.",
        "list": "Which people of the plan a dry run lists.",
    ]
    package static let undo = UndoRule.possible
    package static let mayChangeNothing = true
    package static let hasBulkForm = false

    package static let archiveBytesMax = 44 << 20

    /// Which people of the plan to list.
    package struct Listing: Codable, Equatable, Sendable {
        /// What becomes of them; all if it is missing.
        package let effects: [PlannedPerson.Effect]?
        /// The `location_id` of a place at which they are, or were.
        package let location: String?
        /// ``PlanListing/next`` of the page before.
        package let after: Int?
        package let limit: Int?

        package init(
            effects: [PlannedPerson.Effect]? = nil, location: String? = nil, after: Int? = nil, limit: Int? = nil
        ) {
            self.effects = effects
            self.location = location
            self.after = after
            self.limit = limit
        }
    }

    package let archive: Data?
    package let files: ImportReference?
    package let approve: String?
    package let approveIdentities: String?
    package let newPeople: [String]?
    package let term: String?
    package let schools: [LocationReference]?
    package let hold: Bool?
    package let list: Listing?
    /// Files on the server's own machine, which its command line names. The API does not know this input.
    var path: String?

    private enum CodingKeys: String, CodingKey {
        case archive, files, approve, approveIdentities, newPeople, term, schools, hold, list
    }

    /// Where the files come from.
    package enum Source: Sendable {
        /// A folder or a ZIP archive on the server's own machine.
        case path(String)
        case archive(Data)
        case kept(ImportReference)
    }

    package init(
        _ source: Source, approve: String? = nil, approveIdentities: String? = nil, newPeople: [String]? = nil,
        term: String? = nil, schools: [LocationReference]? = nil, hold: Bool? = nil, list: Listing? = nil
    ) {
        (archive, files, path) =
            switch source {
            case .path(let path): (nil, nil, path)
            case .archive(let data): (data, nil, nil)
            case .kept(let reference): (nil, reference, nil)
            }
        self.approve = approve
        self.approveIdentities = approveIdentities
        self.newPeople = newPeople
        self.term = term
        self.schools = schools
        self.hold = hold
        self.list = list
    }

    /// An archive of 64 KiB, with about 2 000 people, is read within the time of a request.
    package var takesLong: Bool { archive.map { $0.count > 64 << 10 } ?? (files != nil) }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Organization {
        let organization = try context.organizationToChange(transaction)
        // Asked here, so that no job is made of it.
        guard !organization.isSandbox || (archive?.count ?? 0) <= Sandbox.importBytesMax else {
            throw OperationError.invalid(
                field: "archive", reason: "is larger than the \(Sandbox.importBytesMax) bytes that a sandbox takes")
        }
        return organization
    }

    /// What the transaction of the change needs, and its preparation.
    package struct Preparation: Sendable {
        let organization: Organization
        let context: OperationContext
    }

    package func prepare(for organization: Organization, in context: OperationContext) throws -> Preparation {
        guard [archive != nil, files != nil, path != nil].count(where: \.self) == 1 else {
            throw OperationError.invalid(field: "archive", reason: "or `files` must be given, and not both")
        }
        guard (archive?.count ?? 0) <= Self.archiveBytesMax else {
            throw OperationError.invalid(field: "archive", reason: "is larger than \(Self.archiveBytesMax) bytes")
        }
        return Preparation(organization: organization, context: context)
    }

    package func blankPreparation(for organization: Organization, in context: OperationContext) -> Preparation {
        Preparation(organization: organization, context: context)
    }

    /// - Throws: always. The import opens its transaction itself, see ``settle(_:in:_:)``.
    package func carryOut(on organization: Organization, _: Preparation, in act: Act) throws -> ImportReport {
        throw OperationError.refused("An import is not carried out as a part of another change.")
    }

    package func settle(
        _ preparation: Preparation, in database: any Database, _ settlement: Settlement<Self>
    ) async throws -> Settled<Self> {
        let (context, organization) = (preparation.context, preparation.organization.id)
        let services = context.services
        // The transaction may run more than once: the last time counts.
        let settled = Mutex<Settled<Self>?>(nil)
        let input = try await input(of: organization, context, database)
        let now = services.surroundings.now()
        let ending = ImportEnding(
            onHeld: { [hold] counts, schools, transaction in
                // A caller who has asked to hold the plan is looking at it, and needs no letter about it.
                guard hold != true else { return }
                try services.administratorMail?.tell(
                    of: counts, heldIn: organization, for: schools, at: now, transaction)
            },
            keep: { package, use, report, transaction in
                try ImportFiles.keep(
                    package, with: input.circumstances, as: use, report, in: organization, sealedBy: services,
                    at: context.now, transaction)
            },
            settle: { transaction, work in
                let end = try settlement.settle(transaction) { organization, act in
                    let report = try work { try act.record($0, in: organization) }
                    for kind in SandboxRecordKind.allCases {
                        try kind.checkRoom(for: 0, in: organization, act.transaction)
                    }
                    try ImportFiles.deleteApproved(of: organization.id, in: act.transaction)
                    if let importID = report.importID {
                        act.undo(by: UndoImport(import: ImportReference(Int64(importID))))
                    }
                    return report
                }
                settled.withLock { $0 = end }
                return end.done.answer
            })
        _ = try await run(
            input, .apply(approval: approve, identities: approveIdentities, holds: hold == true), organization, context,
            database, ending)
        // An import that only makes a plan is the only one that ends without calling `settle`.
        guard let end = settled.withLock({ $0 }) else { preconditionFailure("the import has not ended") }
        return end
    }

    package func plan(
        for organization: Organization, in context: OperationContext, _ database: any Database
    ) async throws -> Preview {
        _ = try prepare(for: organization, in: context)
        let query = try list.map { list in
            PlanListing.Query(
                effects: Set(list.effects ?? []), location: list.location?.precomposedStringWithCanonicalMapping,
                after: max(0, list.after ?? 0), limit: try PageLimit.check(list.limit, atMost: 1_000))
        }
        let input = try await input(of: organization.id, context, database)
        let report = try await run(
            input, .planOnly(show: query), organization.id, context, database,
            .noting(by: context.authority.actor, from: context.origin, in: organization.id, at: context.now))
        let effects =
            report.outcome == .planned
            ? [
                Effect(
                    action: AuditEntry.Action.rosterImported.rawValue, subject: organization.auditName,
                    name: organization.name,
                    detail: ImportTrail.applied(of: input.schools, report.summary))
            ] : []
        return Preview(
            effects, version: nil, answer: try JSONValue(reading: try JSONEncoder.administration.encode(report)))
    }

    package func followUp(on organization: Organization, _ followUp: FollowUp) async throws {
        try await followUp.tellOfDepartures()
        try await followUp.bringSearchIndexesUpToDate()
    }
}

extension ImportRoster {
    private func run(
        _ input: Input, _ mode: RosterImporter.Mode, _ organization: OrganizationID, _ context: OperationContext,
        _ database: any Database, _ ending: ImportEnding
    ) async throws -> ImportReport {
        let importer = RosterImporter(database: database, surroundings: context.services.surroundings)
        do {
            let limits = try await limits(of: organization, database)
            return try await context.telling { progress in
                try await importer.run(
                    organization: organization, from: input.files, limits: limits, mode: mode,
                    newPeople: Set(input.circumstances.newPeople), term: input.circumstances.term,
                    schools: input.schools, at: context.now, ending: ending, progress: { progress($0.step) })
            }
        } catch let error as RosterImportError {
            throw OperationError(error)
        }
    }
}

extension ImportRoster {
    /// What the files may have: for a sandbox little, because a stranger sends them.
    private func limits(of organization: OrganizationID, _ database: any Database) async throws -> ArchiveLimits {
        var limits = ArchiveLimits()
        let isSandbox = try await database.read { transaction in
            try Organization.sandboxDomain(of: organization, in: transaction) != nil
        }
        if isSandbox { limits.uncompressedBytesMax = Sandbox.importBytesMax }
        return limits
    }
}

extension OperationContext {
    /// Hands the progress of an import on, of which the newest step counts. Nothing is told any more after the end.
    fileprivate func telling<Value: Sendable>(
        _ body: (_ progress: @escaping @Sendable (_ step: Int) -> Void) async throws -> Value
    ) async throws -> Value {
        let (steps, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        async let telling: Void = { for await step in steps { await progress(step, ImportProgress.stepsMax) } }()
        defer { continuation.finish() }
        let value = try await body { continuation.yield($0) }
        continuation.finish()
        await telling
        return value
    }
}

extension Act {
    fileprivate func record(_ event: ImportEnding.Event, in organization: Organization) throws {
        switch event {
        case .applied(let number, _, _):
            let applied = RosterImport(number: Int64(number), organization: organization.id)
            try record(.rosterImported, on: applied, called: organization.name, event.detail)
        case .nothingToDo: try record(.rosterImported, on: organization, called: organization.name, event.detail)
        // Nothing was changed.
        case .held:
            try AuditEntry(
                .rosterImported, by: actor, on: organization.auditName, outcome: event.outcome, detail: event.detail,
                from: origin
            ).append(to: organization.id, at: now, in: transaction)
        }
    }
}

extension AdministratorMail {
    /// Tells those who may approve it that an import is held.
    fileprivate func tell(
        of counts: ImportCounts, heldIn organization: OrganizationID, for schools: String?,
        at now: Date, _ transaction: WriteTransaction
    ) throws {
        func people(_ count: KeyPath<RecordCounts, Int>) -> Int {
            counts.students[keyPath: count] + counts.staff[keyPath: count]
        }
        try tell(
            ofHeldImportOf: organization, for: schools, coming: people(\.added) + people(\.reactivated),
            changing: people(\.changed), leaving: people(\.deactivated), at: now,
            in: transaction)
    }
}

extension FollowUp {
    /// Tells the apps about people who have left. The server would do that too, but up to a minute later.
    func tellOfDepartures() async throws {
        try await EndedSignIns(database: database, surroundings: surroundings)
            .tellOfDepartures(by: actor, from: origin)
    }

    /// Lets searches find the records by their indexes. The server would do that too, but up to a minute later.
    func bringSearchIndexesUpToDate() async throws { try await SearchIndexes.bringUpToDate(in: database) }
}

extension OperationError {
    init(_ error: RosterImportError) { self = .refused(error.description) }
}
