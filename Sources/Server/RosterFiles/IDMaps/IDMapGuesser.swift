import Directory
import Ground
import Storage

/// Compares the files of a new information system with an organization's records, and guesses which ids mean the same.
///
/// What is beyond doubt gets its new id in the file that it writes. What is not stands there with candidates and without
/// a new id, so that nobody gets somebody else's account because a person has overlooked a line.
package struct IDMapGuesser: Sendable {
    let database: any Database
    let surroundings: Surroundings

    package init(database: any Database, surroundings: Surroundings) {
        self.database = database
        self.surroundings = surroundings
    }

    /// - Parameters:
    ///   - path: a folder or a ZIP archive with the six files of the new system.
    ///   - file: where the map is written; a file that is there already is replaced.
    ///   - schools: the only locations that the new system is for; empty for the whole organization.
    /// - Throws: ``DirectoryError/unknownOrganization(_:)``, ``RosterImportError``, `DatabaseError`
    package func guess(
        organization: OrganizationID, from path: String, to file: String, schools: [LocationID] = [],
        actor: Actor, origin: Origin
    ) async throws -> IDMapGuess {
        let now = surroundings.now()
        return try await database.session { session in
            let defects = DefectLog()
            guard let source = RosterSource.open(at: path, defects: defects) else {
                return IDMapGuess(defects: defects)
            }
            try StagingTables.create(in: session)
            _ = try RosterStager(session: session, defects: defects, progress: ProgressMeter { _ in }).stage(source)
            guard defects.errorCount == 0 else { return IDMapGuess(defects: defects) }
            let pending = try PendingFile(file)
            let (publicID, guess) = try session.read { transaction in
                guard let found = try Organization.find(organization, in: transaction) else {
                    throw DirectoryError.unknownOrganization(String(organization.rawValue))
                }
                guard found.kind == .school else { throw RosterImportError.notASchool(found.name) }
                let lines = try Self.lines(of: organization, schools, found, in: transaction)
                try IDMapWriter.write(lines.map(IDMapProposal.Line.init)) { try pending.write($0) }
                return (found.publicID, IDMapGuess(lines, defects: defects))
            }
            try pending.close()
            // The file has names and ids of everybody.
            try session.write { transaction in
                try AuditEntry(
                    .rosterExported, by: actor, on: "organization:\(publicID)", outcome: .done,
                    detail: "id map with \(guess.sure + guess.unsure + guess.unmatched) records", from: origin,
                    mentioning: [.everybody]
                ).append(to: organization, at: now, in: transaction)
            }
            try pending.publish()
            return guess
        }
    }

    /// - Parameter schools: whose records are compared; empty for the whole organization.
    static func lines(
        of organization: OrganizationID, _ schools: [LocationID], _ found: Organization,
        in transaction: some Transaction
    ) throws -> [IDMapLine] {
        let scope = try ImportScope(schools, of: found, in: transaction)
        var comparison = IDMapComparison(of: organization, scope, in: transaction)
        return try comparison.lines()
    }
}

/// What a guess has come to.
package struct IDMapGuess: Codable, Equatable, Sendable {
    package private(set) var sure = 0
    package private(set) var unsure = 0
    /// Records for which the new files have nobody.
    package private(set) var unmatched = 0
    /// If the files have errors, nothing is written.
    package let defects: [Defect]

    package var hasErrors: Bool { defects.contains { $0.severity == .error } }

    init(_ lines: [IDMapLine] = [], defects: DefectLog) {
        self.init(
            IDMapProposal(
                lines: lines.map(IDMapProposal.Line.init), defects: defects.kept.filter { $0.severity == .error }))
    }

    package init(_ proposal: IDMapProposal) {
        for line in proposal.lines {
            switch line.certainty {
            case .sure: sure += 1
            case .unsure: unsure += 1
            case .unmatched: unmatched += 1
            }
        }
        defects = proposal.defects
    }
}
