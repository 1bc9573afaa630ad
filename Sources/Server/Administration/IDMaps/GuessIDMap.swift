import Directory
import Foundation
import Ground
import RosterFiles
import Storage

/// Compares the files of a new information system with the records, and says which ids seem to mean the same. It is a
/// change only in that it is carried out in the background; what it finds is moved with ``ApplyIDMap``.
package struct GuessIDMap: PlannedChange {
    package typealias Answer = IDMapProposal

    package static let name = "id-map.guess"
    package static let summary = """
        Says which records the files of a new information system mean, as far as it is beyond doubt, and who has to be \
        looked at. Nothing is changed.
        """
    package static let privilege = Privilege.importRoster
    package static let route = OperationRoute(.post, "id-maps/guess", bodyBytesMax: 64 << 20)
    package static let explanations = [
        "archive": """
        A ZIP archive with the six files of the new system, in base64; \(ImportRoster.archiveBytesMax >> 20) MiB at most \
        before that.
        """,
        "moves": "In place of an archive: a map that was made by hand, which is looked through.",
        "schools": """
        The new system is that of these schools alone, and no other records are compared: each a location's id, number or \
        name. All of the organization if it is missing.
        """,
    ]
    package static let worksInSandboxes = false
    package static let undo = UndoRule.impossible("It changes nothing.")
    package static let hasBulkForm = false

    package let archive: Data?
    package let moves: [IDMove]?
    package let schools: [LocationReference]?

    package init(archive: Data, schools: [LocationReference]? = nil) {
        self.archive = archive
        moves = nil
        self.schools = schools
    }

    package init(moves: [IDMove]) {
        archive = nil
        self.moves = moves
        schools = nil
    }

    /// Small files, and up to a thousand ids, are compared within the time of a request, as small files are imported.
    package var takesLong: Bool { archive.map { $0.count > 64 << 10 } ?? ((moves?.count ?? 0) > 1_000) }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Organization {
        try context.organizationToChange(transaction)
    }

    /// What the comparison needs.
    package struct Preparation: Sendable {
        let organization: Organization
        let context: OperationContext
    }

    package func prepare(for organization: Organization, in context: OperationContext) throws -> Preparation {
        guard (archive == nil) != (moves == nil) else {
            throw OperationError.invalid(field: "archive", reason: "or `moves` must be given, and not both")
        }
        guard (archive?.count ?? 0) <= ImportRoster.archiveBytesMax else {
            throw OperationError.invalid(
                field: "archive", reason: "is larger than \(ImportRoster.archiveBytesMax) bytes")
        }
        guard schools == nil || archive != nil else {
            throw OperationError.invalid(field: "schools", reason: "belong to an archive: leave them out for a map")
        }
        guard schools?.isEmpty != true else {
            // It would mean the whole organization, which nobody says by a list without a school.
            throw OperationError.invalid(field: "schools", reason: "is an empty list: leave it out for all schools")
        }
        return Preparation(organization: organization, context: context)
    }

    package func blankPreparation(for organization: Organization, in context: OperationContext) -> Preparation {
        Preparation(organization: organization, context: context)
    }

    /// - Throws: always. It reads the files into temporary tables first, see ``settle(_:in:_:)``.
    package func carryOut(on organization: Organization, _: Preparation, in act: Act) throws -> IDMapProposal {
        throw OperationError.refused("Ids are not compared as a part of another change.")
    }

    package func settle(
        _ preparation: Preparation, in database: any Database, _ settlement: Settlement<Self>
    ) async throws -> Settled<Self> {
        let proposal = try await propose(for: preparation.organization, preparation.context, database)
        return try await database.write { transaction in
            try settlement.settle(transaction) { organization, act in
                // The answer has names and ids of everybody, so the audit trail records it as an export.
                try act.record(
                    .rosterExported, on: organization, called: organization.name,
                    "id map with \(proposal.lines.count) records", mentioning: [.everybody])
                return proposal
            }
        }
    }

    package func plan(
        for organization: Organization, in context: OperationContext, _ database: any Database
    ) async throws -> Preview {
        _ = try prepare(for: organization, in: context)
        let proposal = try await propose(for: organization, context, database)
        let effects = [
            Effect(
                action: AuditEntry.Action.rosterExported.rawValue, subject: organization.auditName,
                name: organization.name, detail: "id map with \(proposal.lines.count) records")
        ]
        return Preview(
            effects, version: nil, answer: try JSONValue(reading: try JSONEncoder.administration.encode(proposal)))
    }

    private func propose(
        for organization: Organization, _ context: OperationContext, _ database: any Database
    ) async throws -> IDMapProposal {
        guard let archive else { return try await database.read { try check(organization, $0) } }
        let places = try await database.read { transaction in
            try (schools ?? []).map { try $0.findSchool(in: organization, transaction) }
        }
        let guesser = IDMapGuesser(database: database, surroundings: context.services.surroundings)
        do {
            return try await guesser.propose(
                organization: organization.id, from: .init(in: RosterPackage(archive), named: "archive.zip"),
                schools: places)
        } catch let error as RosterImportError {
            throw OperationError(error)
        }
    }

    /// Checks a map that was made by hand, in the same way as applying it does.
    private func check(_ organization: Organization, _ transaction: some Transaction) throws -> IDMapProposal {
        let moves = moves ?? []
        try ApplyIDMap(moves: moves).check(try IDMovePlan(moves, of: organization.id, in: transaction))
        return IDMapProposal(
            lines: moves.map { move in
                .init(
                    kind: move.kind, old: move.old, name: move.old, certainty: .sure,
                    candidates: [.init(new: move.new, name: move.new, why: "")])
            }, defects: [])
    }
}
