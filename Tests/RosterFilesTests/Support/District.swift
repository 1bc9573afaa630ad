import Directory
import Foundation
import Ground
import Storage
import Synchronization
import TestSupport

@testable import RosterFiles

/// The contents of the six files.
typealias RosterTexts = [RosterFile: String]

extension RosterTexts {
    /// The example set: 2 locations, 4 students, 3 staff, 2 courses, 2 classes, 4 memberships.
    static var example: RosterTexts { ExampleSetTests.files }

    /// These files with a text in one of them replaced.
    func replacing(_ text: String, with other: String, in file: RosterFile) -> RosterTexts {
        var files = self
        precondition(self[file]!.contains(text), "\(file.name) has no \(text)")
        files[file] = self[file]!.replacing(text, with: other)
        return files
    }

    func removing(_ lines: String..., from file: RosterFile) -> RosterTexts {
        lines.reduce(self) { $0.replacing("\($1)\n", with: "", in: file) }
    }

    func adding(_ lines: String..., to file: RosterFile) -> RosterTexts {
        var files = self
        for line in lines { files[file]! += "\(line)\n" }
        return files
    }

    /// These files with only the header in one of them.
    func emptying(_ file: RosterFile) -> RosterTexts {
        var files = self
        files[file] = self[file]!.split(separator: "\n")[0] + "\n"
        return files
    }

    /// Writes the files to a folder of their own while `body` runs.
    func onDisk<Outcome>(_ body: (String) async throws -> Outcome) async throws -> Outcome {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roster-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (file, text) in self { try Data(text.utf8).write(to: folder.appendingPathComponent(file.name)) }
        return try await body(folder.path)
    }
}

/// An organization that gets imports.
struct District: Sendable {
    let database: any Database
    let organization: Organization
    private let clock = Clock()

    /// 2026-09-01T08:00:00Z.
    static let start = Date(timeIntervalSince1970: 1_788_249_600)

    private final class Clock: Sendable {
        let now = Mutex(District.start)
    }

    init(
        in database: any Database, name: String = "Birch District", kind: Organization.Kind = .school,
        format: String = "{first_name}.{last_name}@birch.example"
    ) async throws {
        self.database = database
        organization = try await database.write { transaction in
            try Organization.insert(
                name: name, kind: kind, userNameFormat: UserNameFormat(format), at: Self.start, in: transaction)
        }
    }

    var now: Date { clock.now.withLock { $0 } }

    func advance(by seconds: TimeInterval = 3_600) { clock.now.withLock { $0 += seconds } }

    var surroundings: Surroundings {
        Surroundings(now: { [clock] in clock.now.withLock { $0 } }, randomBytes: { [UInt8](repeating: 7, count: $0) })
    }

    var importer: RosterImporter { RosterImporter(database: database, surroundings: surroundings) }

    var exporter: RosterExporter { RosterExporter(database: database, surroundings: surroundings) }

    // MARK: Actions

    /// - Parameter schools: the `location_id`s of those whose files they are; empty for the whole organization. So it
    ///   is in the others.
    func plan(
        _ files: RosterTexts, newPeople: Set<String> = [], of schools: [String] = [], show: PlanListing.Query? = nil
    ) async throws -> ImportReport {
        try await run(files, .planOnly(show: show), newPeople, nil, schools)
    }

    /// Imports, one hour after the previous step.
    @discardableResult
    func apply(
        _ files: RosterTexts, approval: String? = nil, identities: String? = nil, newPeople: Set<String> = [],
        term: String? = nil, of schools: [String] = [], onHeld: @escaping ImportEnding.OnHeld = { _, _, _ in }
    ) async throws -> ImportReport {
        advance()
        return try await run(
            files, .apply(approval: approval, identities: identities), newPeople, term, schools, onHeld: onHeld)
    }

    /// Imports, and approves the plan if it is held.
    @discardableResult
    func force(
        _ files: RosterTexts, newPeople: Set<String> = [], term: String? = nil, of schools: [String] = []
    ) async throws -> ImportReport {
        let report = try await apply(files, newPeople: newPeople, term: term, of: schools)
        guard report.outcome == .held else { return report }
        let mode = RosterImporter.Mode.apply(approval: report.planID, identities: report.planID)
        return try await run(files, mode, newPeople, term, schools)
    }

    private func run(
        _ files: RosterTexts, _ mode: RosterImporter.Mode, _ newPeople: Set<String>, _ term: String?,
        _ schools: [String], onHeld: @escaping ImportEnding.OnHeld = { _, _, _ in }
    ) async throws -> ImportReport {
        let id = organization.id
        let schools = try await database.read { transaction in
            try schools.compactMap { try Location.find(sourceID: $0, in: id, transaction)?.id }
        }
        return try await files.onDisk { path in
            try await importer.run(
                organization: id, from: path, mode: mode, newPeople: newPeople, term: term, schools: schools,
                actor: .operator, origin: .commandLine, onHeld: onHeld)
        }
    }

    @discardableResult
    func undo(_ number: Int? = nil) async throws -> UndoReport {
        advance()
        return try await importer.undo(
            number, organization: organization.id, actor: .operator, origin: .commandLine)
    }

    /// The files that an export writes.
    func export() async throws -> RosterTexts {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("export-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try await exporter.export(
            organization: organization.id, to: folder.path, actor: .operator, origin: .commandLine)
        var files: RosterTexts = [:]
        for file in RosterFile.files(of: organization.kind) {
            files[file] = try String(contentsOf: folder.appendingPathComponent(file.name), encoding: .utf8)
        }
        return files
    }

    // MARK: Queries

    /// The first column of each row.
    func select(_ sql: String) async throws -> [String] {
        try await database.read { transaction in try transaction.all(sql) { try $0[0] as String } }
    }

    func execute(_ sql: String) async throws {
        try await database.write { _ = try $0.execute(sql) }
    }

    func person(_ sourceID: String) async throws -> Person? {
        let id = organization.id
        return try await database.read { try Person.find(sourceID: sourceID, in: id, $0) }
    }

    /// Roles as `role place position`, in the order of the places.
    func roles(_ sourceID: String) async throws -> [String] {
        try await select(
            """
            SELECT r.role || ' ' || l.source_id || ' ' || COALESCE(CAST(r.position AS TEXT), '-')
            FROM role_assignment AS r
            JOIN person AS p ON p.id = r.person_id
            JOIN location AS l ON l.id = r.location_id
            WHERE p.source_id = '\(sourceID)'
            ORDER BY l.source_id, r.role
            """)
    }

    /// Memberships as `class student`.
    func memberships() async throws -> [String] {
        try await select(
            """
            SELECT k.source_id || ' ' || p.source_id
            FROM class_student AS m
            JOIN class AS k ON k.id = m.class_id
            JOIN person AS p ON p.id = m.person_id
            ORDER BY k.source_id, p.source_id
            """)
    }
}

extension ImportReport {
    /// Defects as `file:line column code`, which tests compare; the texts may change.
    var found: [String] {
        defects.map { "\($0.file):\($0.line.map(String.init) ?? "-") \($0.column ?? "-") \($0.code.rawValue)" }
    }
}

extension RecordCounts {
    /// `+added ~changed -deactivated ^reactivated =unchanged`.
    var text: String { "+\(added) ~\(changed) -\(deactivated) ^\(reactivated) =\(unchanged)" }
}

extension ImportCounts {
    /// The changes of each type of record that has any.
    var texts: [RecordType: String] {
        RecordType.allCases.reduce(into: [:]) { texts, type in
            if !self[type].isUnchanged { texts[type] = self[type].text }
        }
    }
}
