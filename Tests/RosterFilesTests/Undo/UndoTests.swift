import Directory
import Foundation
import Ground
import Schema
import Storage
import Testing
import TestSupport

@testable import RosterFiles

@Suite struct UndoTests {
    /// The example with something of every kind changed, added and gone.
    static let everything = RosterTexts.example
        .replacing("Birch Lane Primary", with: "Birch Lane School", in: .locations)
        .adding("LOC-30,Annex", to: .locations)
        .replacing(
            "Noor,Haddad,,40017,1,,nhaddad,4,", with: "Nour,Haddad,A,1,2,n@birch.example,nh,6,LOC-30", in: .students
        )
        .removing("S-2001,LOC-20,Tomasz,Lis,Jan,40230,8,tomasz.lis@birch.example,tlis,6,", from: .students)
        .adding("S-3001,LOC-30,New,Pupil,,,,,,,", to: .students)
        .replacing("LOC-10,LOC-20", with: "LOC-20,LOC-30", in: .staff)
        .removing("T-0009,90009,Rita,,Sand,rita.sand@birch.example,rsand,LOC-10,", from: .staff)
        .removing("C-BIO8,808,\"Biology 8\",LOC-20", from: .courses)
        .replacing("101,\"Reading 1\"", with: "102,\"Reading 2\"", in: .courses)
        .adding("C-NEW,1,New,LOC-30", to: .courses)
        .removing("K-BIO8-1,1,C-BIO8,T-0008,,,LOC-20", from: .classes)
        .replacing("T-0007,T-0009,", with: "T-0008,T-0007,", in: .classes)
        .adding("K-NEW,1,C-NEW,T-0008,,,LOC-30", to: .classes)
        .removing("R-000003,K-BIO8-1,S-2001", "R-000004,K-BIO8-1,S-2002", from: .rosters)
        .replacing("R-000001", with: "R-1", in: .rosters)
        .replacing("R-000002,K-READ1-A,S-1002", with: "R-000002,K-READ1-A,S-3001", in: .rosters)
        .adding("R-000009,K-NEW,S-1001", to: .rosters)

    @Test("every record is as it was, and what was added is withdrawn", arguments: TestDatabase.available)
    func exactness(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let before = try await district.dump()
            let applied = try await district.force(Self.everything)
            #expect(applied.outcome == .applied)
            let after = try await district.dump()

            let report = try await district.undo()
            #expect(report.importID == applied.importID)
            #expect(report.people.withdrawn == 1)
            let undone = try await district.dump()
            #expect(Set(before).subtracting(undone) == [])
            // What is new is still there, out of use.
            let extra = Set(undone).subtracting(before)
            #expect(extra.count == 4)
            #expect(
                extra.contains { $0.hasPrefix("person ") && $0.contains("|S-3001|") && $0.contains("|deactivated|") })
            for table in ["location", "course", "class"] {
                #expect(
                    extra.contains {
                        $0.hasPrefix("\(table) ") && $0.hasSuffix("|\(Int(district.now.timeIntervalSince1970))")
                    })
            }

            // And once more.
            #expect(try await district.force(Self.everything).outcome == .applied)
            #expect(Self.withoutTimes(try await district.dump()) == Self.withoutTimes(after))
        }
    }

    /// Records keep the time at which they first went missing or were made.
    private static func withoutTimes(_ dump: [String]) -> [String] {
        dump.map { $0.replacing(/\|17882\d{5}/, with: "|time") }
    }

    @Test("the next import brings the same people back with the same ids", arguments: TestDatabase.available)
    func comesBack(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let before = try await district.person("S-1001")
            try await district.undo()
            #expect(try await district.person("S-1001")?.state == .deactivated)
            #expect(try await district.memberships() == [])
            let again = try await district.apply(.example)
            #expect(again.outcome == .applied)
            #expect(again.counts.students.text == "+0 ~0 -0 ^4 =0")
            #expect(try await district.person("S-1001")?.id == before?.id)
            #expect(try await district.memberships().count == 4)
            #expect(try await district.apply(.example).outcome == .nothingToDo)
        }
    }

    @Test("there must be something to undo, and only once", arguments: TestDatabase.available)
    func refusals(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            await #expect(throws: RosterImportError.nothingToUndo) { try await district.undo() }
            let report = try await district.apply(.example)
            try await district.undo()
            let id = try #require(report.importID)
            await #expect(throws: RosterImportError.allUndone(importID: id)) { try await district.undo() }
        }
    }

    @Test("imports are undone one after the other, each exactly", arguments: TestDatabase.available)
    func chain(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let steps: [RosterTexts] = [
                .example, Self.everything,
                // What the second one has taken away or added in part comes back, and goes.
                Self.everything.adding("R-000010,K-READ1-A,S-1001", to: .rosters)
                    .replacing("LOC-20,LOC-30", with: "LOC-10,LOC-20", in: .staff),
                .example, Self.everything,
            ]
            var states: [[String]] = [try await district.dump()]
            var imports: [Int] = []
            for files in steps {
                imports.append(try #require(try await district.force(files).importID))
                states.append(try await district.dump())
            }
            for (index, id) in imports.enumerated().reversed() {
                #expect(try await district.undo().importID == id)
                let now = try await district.dump()
                // What the import had added stays, out of use.
                #expect(Set(states[index]).subtracting(now) == [], "import \(index + 1)")
                let extra = Set(now).subtracting(states[index])
                #expect(
                    extra.allSatisfy { row in
                        ["location ", "person ", "course ", "class "].contains { row.hasPrefix($0) }
                    },
                    "import \(index + 1): \(extra)")
                let living = try await district.select(
                    "SELECT source_id FROM person WHERE state <> 'deactivated' AND source = 'csv' ORDER BY source_id")
                let expected = states[index].filter { $0.hasPrefix("person ") && !$0.contains("|deactivated|") }
                #expect(living.count == expected.count, "import \(index + 1)")
            }
            for table in ["person", "role", "class", "student", "instructor", "course", "location"] {
                #expect(try await district.select("SELECT CAST(COUNT(*) AS TEXT) FROM undo_\(table)") == ["0"])
            }
            await #expect(throws: RosterImportError.allUndone(importID: imports.last ?? 0)) {
                try await district.undo()
            }
        }
    }

    @Test("an import is forgotten after a time, and when many have followed", arguments: TestDatabase.available)
    func memory(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let first = try #require(
                try await district.force(.example.replacing("Noor", with: "Nour", in: .students)).importID)
            func names() async throws -> [String] {
                try await district.select("SELECT given_name FROM undo_person ORDER BY import_id")
            }
            district.advance(by: Double(ImportMemory.days) * 86_400 - 3_600)
            let second = try await district.force(.example.replacing("Noor", with: "Nora", in: .students))
            #expect(try await names() == ["Noor", "Nour"])
            let now = district.now
            #expect(try await database.read { try ImportMemory.hasOld(at: now, in: $0) })
            try await database.write { try ImportMemory.forgetOld(at: now, in: $0) }
            #expect(try await !database.read { try ImportMemory.hasOld(at: now, in: $0) })
            #expect(try await names() == ["Nour"])
            #expect(try await district.undo().importID == second.importID)
            await #expect(throws: RosterImportError.forgotten(importID: first)) { try await district.undo() }

            // There are imports until as many are kept as may be, and one more.
            let id = district.organization.id
            try await database.write { transaction in
                for _ in 0...ImportMemory.countMax {
                    try transaction.execute(
                        """
                        INSERT INTO roster_import (organization_id, digest, summary, applied_at)
                        VALUES ($1, '', '{}', $2)
                        """, [id, now])
                }
            }
            try await district.apply(.example.replacing("Noor", with: "Nils", in: .students))
            let forgotten = try await district.select(
                "SELECT CAST(COUNT(*) AS TEXT) FROM roster_import WHERE forgotten_at IS NOT NULL")
            #expect(forgotten == ["4"], "two by age, two by number")
        }
    }

    @Test("the last import is the first to be undone", arguments: TestDatabase.available)
    func lastOnly(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let second = try await district.force(.example.replacing("Noor", with: "Nour", in: .students))
            let undone = try await district.undo()
            #expect(undone.importID == second.importID)
            #expect(undone.people == UndoReport.Counts(withdrawn: 0, restored: 1))
            #expect(try await district.person("S-1001")?.givenName == "Noor")
            #expect(try await district.person("S-1001")?.modifiedAt == district.now)
            #expect(try await district.select("SELECT given_name FROM undo_person") == [])
        }
    }

    @Test("what somebody has done by hand since stays", arguments: TestDatabase.available)
    func manualEdits(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            try await district.force(Self.everything)
            let (id, now) = (district.organization.id, district.now)
            let lis = try #require(try await district.person("S-2001"))
            let noor = try #require(try await district.person("S-1001"))
            try await database.write { transaction in
                // Activated by hand, though the files do not name him.
                try lis.reactivate(at: now, in: transaction)
                try transaction.execute("UPDATE person SET user_name = 'nora@birch.example' WHERE id = $1", [noor.id])
                // Taken over by hand.
                try transaction.execute(
                    "UPDATE person SET source = 'manual', given_name = 'Neu' WHERE source_id = 'S-3001'")
                try RoleAssignment(.manager, at: nil).insert(for: noor.id, of: id, at: now, in: transaction)
            }
            try await district.undo()
            #expect(try await district.person("S-2001")?.state == .new)
            #expect(try await district.person("S-1001")?.givenName == "Noor")
            #expect(try await district.person("S-1001")?.userName == "nora@birch.example")
            #expect(try await district.person("S-3001")?.givenName == "Neu")
            #expect(try await district.person("S-3001")?.state == .new)
            let roles = try await district.select(
                "SELECT role FROM role_assignment WHERE person_id = \(noor.id.rawValue) ORDER BY role")
            #expect(roles == ["manager", "student"])
        }
    }

    @Test("the last active Administrator is not withdrawn", arguments: TestDatabase.available)
    func lastAdministrator(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let person = try #require(try await district.person("T-0007"))
            let (id, now) = (district.organization.id, district.now)
            try await database.write { transaction in
                try RoleAssignment(.administrator, at: nil).insert(for: person.id, of: id, at: now, in: transaction)
            }
            try await district.undo()
            #expect(try await district.person("T-0007")?.state == .new)
            #expect(try await district.person("T-0008")?.state == .deactivated)
        }
    }

    @Test("an import from before ids could pass on is undone after it", arguments: TestDatabase.available)
    func migrated(_ kind: TestDatabase) async throws {
        // The schema of the last version whose imports did not know about ids that pass on.
        try await kind.with(migrations: Array(Schema.migrations.prefix(17))) { database in
            let now = District.start
            try await database.write { transaction in
                try transaction.execute(
                    """
                    INSERT INTO organization (public_id, kind, name, user_name_format, created_at, modified_at)
                    VALUES ('o', 'school', 'Birch', '{person_id}', $1, $1)
                    """, [now])
                try transaction.execute(
                    "INSERT INTO import_threshold (organization_id, removed_percent, changed_percent) VALUES (1, 20, 30)"
                )
                try transaction.execute(
                    "INSERT INTO roster_import (organization_id, digest, summary, applied_at) VALUES (1, '', '{}', $1)",
                    [now])
                try transaction.execute(
                    """
                    INSERT INTO person (organization_id, source, source_id, given_name, family_name, user_name, state,
                                        created_at, modified_at)
                    VALUES (1, 'csv', 'S-1', 'Nora', 'Haddad', 's-1', 'new', $1, $1)
                    """, [now])
                try transaction.execute(
                    """
                    INSERT INTO undo_person (import_id, person_id, effect, given_name, family_name, state)
                    VALUES (1, 1, 'changed', 'Noor', 'Haddad', 'new')
                    """)
            }
            try await database.migrate(Schema.migrations)
            let id = OrganizationID(rawValue: 1)
            #expect(
                try await database.read { try ImportThresholds.find(for: id, in: $0) }
                    == ImportThresholds(removedPercent: 20, changedPercent: 30, replacedMax: 0, renamedPercent: 1))
            let surroundings = Surroundings(now: { now }, randomBytes: { [UInt8](repeating: 7, count: $0) })
            let report = try await RosterImporter(database: database, surroundings: surroundings).undo(
                organization: id, actor: .operator, origin: .commandLine)
            #expect(report.people.restored == 1)
            let person = try await database.read { try Person.find(PersonID(rawValue: 1), in: $0) }
            #expect(person?.givenName == "Noor")
            #expect(person?.sourceID == "S-1")
        }
    }

    @Test("a large import is undone whole", arguments: TestDatabase.available)
    func maple(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database, format: "{sis_username}@maple.example")
            try await district.apply(.maple)
            let before = try await district.dump()
            var files = RosterTexts.maple
            for file in [RosterFile.students, .rosters] {
                let lines = files[file]!.split(separator: "\n")
                files[file] = lines.prefix(1 + lines.count / 3).joined(separator: "\n") + "\n"
            }
            files[.rosters] = files[.rosters]!.split(separator: "\n").prefix(500).joined(separator: "\n") + "\n"
            let report = try await district.force(files)
            #expect(report.outcome == .applied)
            #expect(try await district.dump() != before)
            try await district.undo()
            #expect(try await district.dump() == before)
        }
    }
}
