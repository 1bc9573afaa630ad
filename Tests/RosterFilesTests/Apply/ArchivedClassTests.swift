import Directory
import Foundation
import Storage
import TestSupport
import Testing

@testable import RosterFiles

/// Classes that were archived, by an import or by hand, and the imports after that.
@Suite struct ArchivedClassTests {
    private static let withoutBiology = RosterTexts.example
        .removing("K-BIO8-1,1,C-BIO8,T-0008,,,LOC-20", from: .classes)
        .removing("R-000003,K-BIO8-1,S-2001", "R-000004,K-BIO8-1,S-2002", from: .rosters)

    private static func archive(_ sourceID: String, in district: District) async throws {
        district.advance()
        let (id, now) = (district.organization.id, district.now)
        try await district.database.write { transaction in
            for found in try ManagedClass.list(called: sourceID, in: id, transaction) {
                try found.archive(at: now, in: transaction)
            }
        }
    }

    private static func restore(_ sourceID: String, in district: District) async throws {
        district.advance()
        let (id, now) = (district.organization.id, district.now)
        try await district.database.write { transaction in
            for found in try ManagedClass.list(called: sourceID, in: id, transaction) {
                try found.restore(at: now, in: transaction)
            }
        }
    }

    @Test("undoing gives a missing class back byte for byte", arguments: TestDatabase.available)
    func undo(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let before = try await district.dump()
            #expect(try await district.force(Self.withoutBiology).outcome == .applied)
            #expect(try await district.dump() != before)
            let report = try await district.undo()
            #expect(report.classes == UndoReport.Counts(withdrawn: 0, restored: 1))
            #expect(try await district.dump() == before)
            #expect(try await district.apply(.example).outcome == .nothingToDo)
        }
    }

    @Test(
        "a class that was archived by hand comes back with the file, which says so", arguments: TestDatabase.available)
    func comesBack(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let living = try await district.dump()
            try await Self.archive("K-BIO8-1", in: district)
            let archived = try await district.dump()

            let report = try await district.apply(.example)
            #expect(report.outcome == .applied)
            #expect(report.found == ["classes.csv:3 class_id class_restored"])
            #expect(report.counts.classes.text == "+0 ~0 -0 ^1 =1")
            #expect(report.counts.memberships.text == "+0 ~0 -0 ^2 =2")
            #expect(try await district.dump() == living)
            try await district.undo()
            #expect(try await district.dump() == archived)
        }
    }

    @Test("a class that was archived by hand goes without a hold", arguments: TestDatabase.available)
    func forgotten(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            try await Self.archive("K-BIO8-1", in: district)
            let before = try await district.dump()
            let report = try await district.apply(Self.withoutBiology)
            #expect(report.outcome == .applied, "\(report.held)")
            // He taught nothing but that class.
            #expect(report.counts.texts == [.staff: "+0 ~1 -0 ^0 =2"])
            let missing = try await district.select("SELECT source_id FROM class WHERE missing_since IS NOT NULL")
            #expect(missing == ["K-BIO8-1"])
            #expect(try await district.apply(Self.withoutBiology).outcome == .nothingToDo)
            try await district.undo()
            #expect(try await district.dump() == before)
        }
    }

    @Test(
        "imports leave a class alone that somebody has restored, until they name it", arguments: TestDatabase.available)
    func restored(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let annex = RosterTexts.example.adding("LOC-30,Annex", to: .locations)
                .replacing("T-0008,,,LOC-20", with: "T-0008,,,LOC-30", in: .classes)
            try await district.apply(annex)
            let before = try await district.dump()
            let without = Self.withoutBiology.adding("LOC-30,Annex", to: .locations)
            try await district.force(without)
            try await Self.restore("K-BIO8-1", in: district)
            #expect(try await district.apply(without).outcome == .nothingToDo)
            let living = try await district.select("SELECT source_id FROM class WHERE archived_at IS NULL ORDER BY id")
            #expect(living == ["K-READ1-A", "K-BIO8-1"])

            // Its location is not left either.
            let refused = try await district.apply(Self.withoutBiology)
            #expect(refused.found == ["locations.csv:- location_id location_in_use"])
            #expect(refused.defects.first?.message.contains("class ") == true)

            let back = try await district.apply(annex)
            #expect(back.counts.classes.text == "+0 ~0 -0 ^1 =1")
            #expect(try await district.dump() == before)
        }
    }

    @Test("undoing an import leaves what was archived or restored by hand since", arguments: TestDatabase.available)
    func undoAfterHands(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            try await district.force(.example.replacing("\"Reading 1\"", with: "\"Reading 2\"", in: .courses))
            try await Self.archive("K-READ1-A", in: district)
            try await district.undo()
            let archived = try await district.select("SELECT source_id FROM class WHERE archived_at IS NOT NULL")
            #expect(archived == ["K-READ1-A"])
        }
    }

    @Test(
        "the same ids in the next year: the class comes back with its new members only",
        arguments: TestDatabase.available)
    func nextYear(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let first = try await district.dump()
            try await district.force(Self.withoutBiology)
            let summer = try await district.dump()
            let next = RosterTexts.example.removing("R-000003,K-BIO8-1,S-2001", from: .rosters)
            let report = try await district.apply(next)
            #expect(report.outcome == .applied, "\(report.held)")
            #expect(report.counts.memberships.text == "+0 ~0 -0 ^1 =2")
            #expect(try await district.memberships().contains("K-BIO8-1 S-2001") == false)
            try await district.undo()
            #expect(try await district.dump() == summer)
            try await district.apply(.example)
            #expect(try await district.dump() == first)
        }
    }

    @Test(
        "an export has neither archived classes nor restored ones, and changes nothing",
        arguments: TestDatabase.available)
    func export(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            try await district.force(Self.withoutBiology)
            for restores in [false, true] {
                if restores { try await Self.restore("K-BIO8-1", in: district) }
                let folder = FileManager.default.temporaryDirectory.appendingPathComponent("export-\(UUID())").path
                defer { try? FileManager.default.removeItem(atPath: folder) }
                let rows = try await RosterExporter(database: database, surroundings: district.surroundings).export(
                    organization: district.organization.id, to: folder, isForSpreadsheet: false, actor: .operator,
                    origin: .commandLine)
                #expect(rows[.classes] == 1 && rows[.rosters] == 2)
                district.advance()
                let report = try await district.importer.run(
                    organization: district.organization.id, from: folder, mode: .planOnly(), actor: .operator,
                    origin: .commandLine)
                #expect(report.outcome == .nothingToDo)
            }
        }
    }
}
