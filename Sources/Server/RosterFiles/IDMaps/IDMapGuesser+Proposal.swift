import Directory
import Ground
import Storage

/// What the ids of a new information system seem to mean, for somebody to decide.
package struct IDMapProposal: Codable, Equatable, Sendable {
    /// A record of the organization and the row of the files that may be the same.
    package struct Line: Codable, Equatable, Sendable {
        package enum Certainty: String, Codable, CaseIterable, Sendable {
            case sure
            case unsure
            /// Nothing in the files resembles the record.
            case unmatched
        }

        /// A row of the files.
        package struct Candidate: Codable, Equatable, Sendable {
            package let new: String
            package let name: String
            /// What agrees and what differs, for people.
            package let why: String

            package init(new: String, name: String, why: String) {
                self.new = new
                self.name = name
                self.why = why
            }
        }

        package let kind: IDMove.Kind
        package let old: String
        /// The name of the record.
        package let name: String
        package let certainty: Certainty
        /// One if it is sure; the three best otherwise, the best first.
        package let candidates: [Candidate]

        package init(
            kind: IDMove.Kind, old: String, name: String, certainty: Certainty, candidates: [Candidate]
        ) {
            self.kind = kind
            self.old = old
            self.name = name
            self.certainty = certainty
            self.candidates = candidates
        }
    }

    /// What somebody has to look at comes first.
    package let lines: [Line]
    /// What is wrong with the files; then there are no lines.
    package let defects: [Defect]

    package init(lines: [Line], defects: [Defect]) {
        self.lines = lines
        self.defects = defects
    }

    /// What is beyond doubt.
    package var moves: [IDMove] {
        lines.filter { $0.certainty == .sure }.map { IDMove($0.kind, from: $0.old, to: $0.candidates[0].new) }
    }

    /// The map as a file, in which somebody fills in the new ids that are missing.
    package func file() throws -> [UInt8] {
        var bytes: [UInt8] = []
        try IDMapWriter.write(lines) { bytes += $0 }
        return bytes
    }
}

extension IDMapGuesser {
    /// Compares and writes nothing.
    /// - Parameter schools: the only locations that the new system is for; empty for the whole organization.
    /// - Throws: ``DirectoryError/unknownOrganization(_:)``, ``RosterImportError``, `DatabaseError`
    package func propose(
        organization: OrganizationID, from files: RosterImporter.Files, schools: [LocationID] = []
    ) async throws -> IDMapProposal {
        try await database.session { session in
            let defects = DefectLog()
            func errors() -> IDMapProposal {
                IDMapProposal(lines: [], defects: defects.kept.filter { $0.severity == .error })
            }
            guard let source = RosterSource.open(files, defects: defects) else { return errors() }
            try StagingTables.create(in: session)
            _ = try RosterStager(session: session, defects: defects, progress: ProgressMeter { _ in }).stage(source)
            guard defects.errorCount == 0 else { return errors() }
            return try session.read { transaction in
                guard let found = try Organization.find(organization, in: transaction) else {
                    throw DirectoryError.unknownOrganization(String(organization.rawValue))
                }
                guard found.kind == .school else { throw RosterImportError.notASchool(found.name) }
                let lines = try Self.lines(of: organization, schools, found, in: transaction)
                    .map(IDMapProposal.Line.init)
                return IDMapProposal(
                    lines: [.unsure, .unmatched, .sure].flatMap { certainty in
                        lines.filter { $0.certainty == certainty }
                    }, defects: [])
            }
        }
    }
}

extension IDMapProposal.Line {
    init(_ line: IDMapLine) {
        kind = line.kind
        old = line.old
        name = line.name
        certainty =
            switch line.certainty {
            case .sure: .sure
            case .unsure: .unsure
            case .unmatched: .unmatched
            }
        candidates = line.candidates.prefix(3).map { Candidate(new: $0.new, name: $0.name, why: $0.why) }
    }
}
