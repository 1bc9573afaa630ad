import Directory
import Foundation
import Storage
import TestSupport
import Testing

@testable import RosterFiles

@Suite struct ExportTests {
    @Test("what was imported is exported, and importing it changes nothing", arguments: TestDatabase.available)
    func example(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let exported = try await district.export()
            #expect(exported[.students] == RosterTexts.example[.students])
            #expect(exported[.staff] == RosterTexts.example[.staff])
            #expect(exported[.rosters] == RosterTexts.example[.rosters])
            #expect(try await district.apply(exported).outcome == .nothingToDo)
        }
    }

    @Test(
        "import, export, import: nothing changes, in a folder or a ZIP", arguments: TestDatabase.available,
        ["", ".zip"])
    func maple(_ kind: TestDatabase, _ suffix: String) async throws {
        try await kind.with { database in
            let district = try await District(in: database, format: "{sis_username}@maple.example")
            try await district.apply(.maple)
            let path = FileManager.default.temporaryDirectory.appendingPathComponent("export-\(UUID())\(suffix)").path
            defer { try? FileManager.default.removeItem(atPath: path) }
            let rows = try await district.exporter.export(
                organization: district.organization.id, to: path, actor: .operator, origin: .commandLine)
            #expect(rows[.rosters] == RosterTexts.mapleCounts.memberships)
            let report = try await district.importer.run(
                organization: district.organization.id, from: path, mode: .apply(approval: nil), actor: .operator,
                origin: .commandLine)
            #expect(report.outcome == .nothingToDo)
            #expect(report.errorCount == 0)
        }
    }

    @Test("what a spreadsheet would take for a formula is made harmless if that is asked for")
    func forSpreadsheet() async throws {
        try await TestDatabase.sqlite.with { database in
            let district = try await District(in: database, format: "{person_id}@birch.example")
            let report = try await district.apply(.example.replacing("Noor", with: "=HYPERLINK(0)", in: .students))
            #expect(report.outcome == .applied)
            #expect(report.found == ["students.csv:2 first_name formula"])
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("export-\(UUID())")
            defer { try? FileManager.default.removeItem(at: folder) }
            for (isForSpreadsheet, cell) in [(false, ",=HYPERLINK(0),"), (true, ",'=HYPERLINK(0),")] {
                _ = try await district.exporter.export(
                    organization: district.organization.id, to: folder.path, isForSpreadsheet: isForSpreadsheet,
                    actor: .operator, origin: .commandLine)
                let students = try String(contentsOf: folder.appendingPathComponent("students.csv"), encoding: .utf8)
                #expect(students.contains(cell))
            }
        }
    }

    @Test("values that need quotes come back as they were", arguments: TestDatabase.available)
    func quoting(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(
                .example.replacing("\"Ana María\"", with: "\"A \\\"B\\\", C; \\\\ D\"", in: .students))
            #expect(try await district.person("S-1002")?.givenName == "A \"B\", C; \\ D")
            #expect(try await district.apply(try await district.export()).outcome == .nothingToDo)
        }
    }

    @Test(
        "who is missing from the source or was made by hand is not exported, who was deactivated by hand is",
        arguments: TestDatabase.available)
    func people(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            try await district.force(MissingAndBackTests.withoutLis)
            let ana = try #require(try await district.person("S-1002"))
            let (id, now) = (district.organization.id, district.now)
            try await database.write { transaction in
                try ana.deactivate(at: now, in: transaction)
                _ = try Person.insert(
                    in: id, sourceID: "S-9000", givenName: "Hand", familyName: "Made", userName: "hand@birch.example",
                    at: now, in: transaction)
            }
            let exported = try await district.export()
            let students = exported[.students]!.split(separator: "\n").dropFirst().map { $0.prefix(6) }
            #expect(students == ["S-1001", "S-1002", "S-2002"])
            #expect(try await district.apply(exported).outcome == .nothingToDo)
        }
    }

    @Test(
        "a school that was closed, and who was deactivated in it by hand, are not exported",
        arguments: TestDatabase.available)
    func closedSchool(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(
                .example.adding("LOC-30,Annex", to: .locations).adding("S-3001,LOC-30,New,Pupil,,,,,,,", to: .students)
                    .replacing("wvdberg,8,LOC-10", with: "wvdberg,8,LOC-30", in: .students))
            let (pupil, now) = (try #require(try await district.person("S-3001")), district.now)
            try await database.write { try pupil.deactivate(at: now, in: $0) }
            try await district.force(.example)
            let exported = try await district.export()
            #expect(exported[.locations] == RosterTexts.example[.locations])
            #expect(exported[.students] == RosterTexts.example[.students])
            #expect(try await district.apply(exported).outcome == .nothingToDo)
        }
    }

    @Test("what is exported is for its owner alone", arguments: ["", ".zip"])
    func modes(_ suffix: String) async throws {
        try await TestDatabase.sqlite.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let path = FileManager.default.temporaryDirectory.appendingPathComponent("export-\(UUID())\(suffix)").path
            defer { try? FileManager.default.removeItem(atPath: path) }
            _ = try await district.exporter.export(
                organization: district.organization.id, to: path, actor: .operator, origin: .commandLine)
            func mode(_ path: String) throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            }
            #expect(try mode(path) == (suffix == "" ? 0o700 : 0o600))
            guard suffix == "" else { return }
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 6)
            for file in RosterFile.allCases { #expect(try mode("\(path)/\(file.name)") == 0o600) }
        }
    }

    @Test("an export that cannot be put on the audit trail leaves nothing", arguments: ["", ".zip"])
    func auditFirst(_ suffix: String) async throws {
        try await TestDatabase.sqlite.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            try await district.execute("DROP TABLE audit_entry")
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("export-\(UUID())").path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let path = suffix == "" ? folder : "\(folder)/roster\(suffix)"
            await #expect(throws: (any Error).self) {
                try await district.exporter.export(
                    organization: district.organization.id, to: path, actor: .operator, origin: .commandLine)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        }
    }

    @Test("an export leaves an entry in the audit trail", arguments: TestDatabase.available)
    func audit(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            _ = try await district.export()
            let id = district.organization.id
            let last = try await database.read { try AuditRecord.page(of: id, after: 0, limit: 10, in: $0) }.last
            #expect(last?.action == "roster.exported")
            #expect(last?.detail == "locations 2, students 4, staff 3, courses 2, classes 2, rosters 4")
        }
    }

    @Test(
        "a path that cannot be written is named, and what lies there stays",
        arguments: ["/proc/none", "/proc/none.zip"])
    func unwritable(_ path: String) async throws {
        try await TestDatabase.sqlite.with { database in
            let district = try await District(in: database)
            await #expect {
                try await district.exporter.export(
                    organization: district.organization.id, to: path, actor: .operator, origin: .commandLine)
            } throws: { error in
                if case .cannotWrite(let named, _) = error as? RosterImportError {
                    named.hasPrefix(path)
                } else {
                    false
                }
            }
        }
    }
}
