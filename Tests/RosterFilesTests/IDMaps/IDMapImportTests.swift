import Directory
import Foundation
import Storage
import TestSupport
import Testing

@testable import RosterFiles

/// What imports make of records that an id map has moved.
@Suite struct IDMapImportTests {
    /// The ids of the new system for everything that the example set has.
    private static let moves: [IDMove] = [
        IDMove(.location, from: "LOC-10", to: "100"), IDMove(.location, from: "LOC-20", to: "200"),
        IDMove(.course, from: "C-READ1", to: "q1"), IDMove(.course, from: "C-BIO8", to: "q2"),
        IDMove(.class, from: "K-READ1-A", to: "Lesen 1a"), IDMove(.class, from: "K-BIO8-1", to: "Bio 8"),
        IDMove(.person, from: "S-1001", to: "7001"), IDMove(.person, from: "S-1002", to: "7002"),
        IDMove(.person, from: "S-2001", to: "7003"), IDMove(.person, from: "S-2002", to: "7004"),
        IDMove(.person, from: "T-0007", to: "7005"), IDMove(.person, from: "T-0008", to: "7006"),
        IDMove(.person, from: "T-0009", to: "七零零九"),
    ]

    /// The same school as the new system writes it.
    private static var newSystem: RosterTexts {
        moves.sorted { $0.old.count > $1.old.count }.reduce(RosterTexts.example) { files, move in
            files.mapValues { $0.replacing(move.old, with: move.new) }
        }
    }

    @Test(
        "after a map the files of the new system change nothing: not an account, not a password",
        arguments: TestDatabase.available)
    func takesOver(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            try await district.execute(
                """
                INSERT INTO credential (person_id, password_hash, changed_at, failures)
                SELECT id, 'hash of ' || source_id, 1, 0 FROM person
                """)
            let passwords =
                "SELECT id || ' ' || password_hash FROM person JOIN credential ON person_id = id ORDER BY id"
            let accounts = "SELECT id || ' ' || user_name || ' ' || modified_at FROM person ORDER BY id"
            let before = (try await district.select(passwords), try await district.select(accounts))
            #expect(before.0.count == 7)

            try await district.map(Self.moves)
            #expect(try await district.apply(Self.newSystem).outcome == .nothingToDo)
            #expect(try await district.person("七零零九")?.familyName == "Sand")
            #expect(try await district.person("T-0009") == nil)
            // A system gives its rows other numbers too, which nobody sees.
            let report = try await district.apply(Self.newSystem.replacing("R-0000", with: "enrolment-", in: .rosters))
            #expect(report.outcome == .applied && report.counts.texts == [.memberships: "+0 ~4 -0 ^0 =0"])
            #expect(try await district.select(passwords) == before.0)
            #expect(try await district.select(accounts) == before.1)
            // Without the map everybody would be new.
            let former = try await district.plan(.example)
            #expect(former.counts.students.added == 4)
        }
    }

    @Test("records that exchange their ids are moved, and taken back exactly", arguments: TestDatabase.available)
    func exchange(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let before = try await district.dump()
            let (noor, ana) = (try await district.person("S-1001"), try await district.person("S-1002"))
            let map = try await district.map([
                IDMove(.person, from: "S-1001", to: "S-1002"), IDMove(.person, from: "S-1002", to: "S-1001"),
                IDMove(.class, from: "K-READ1-A", to: "K-BIO8-1"), IDMove(.class, from: "K-BIO8-1", to: "K-3"),
            ])
            #expect(try await district.person("S-1002")?.id == noor?.id)
            #expect(try await district.person("S-1001")?.id == ana?.id)
            let classes = try await district.select("SELECT name || ' ' || source_id FROM class ORDER BY id")
            #expect(classes.map { $0.split(separator: " ").last } == ["K-BIO8-1", "K-3"])
            try await district.takeBack(map)
            #expect(try await district.dump() == before)
        }
    }

    @Test("a plan that was approved before a map is void after it", arguments: TestDatabase.available)
    func stalePlans(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let files = RosterTexts.example.emptying(.students).emptying(.rosters)
            let held = try await district.apply(files)
            #expect(held.outcome == .held)
            let map = try await district.map([IDMove(.person, from: "T-0009", to: "T-9000")])
            #expect(try await district.apply(files, approval: held.planID).outcome == .held)
            // Not even when it is taken back: the ids are as before, and whoever approved could not know of it.
            try await district.takeBack(map)
            #expect(try await district.apply(files, approval: held.planID).outcome == .held)
        }
    }

    @Test("an import is not taken back while a map stands on it", arguments: TestDatabase.available)
    func importBeforeMap(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            try await district.force(.example.removing("R-000001,K-READ1-A,S-1001", from: .rosters))
            let before = try await district.dump()
            let map = try await district.map(Self.moves)
            await #expect(throws: RosterImportError.builtOn(importID: 2, map: map.id)) { try await district.undo() }
            try await district.takeBack(map)
            #expect(try await district.dump() == before)
            try await district.undo()
        }
    }

    @Test("a map is not taken back while an import stands on it, nor twice", arguments: TestDatabase.available)
    func mapBeforeImport(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let before = try await district.dump()
            let map = try await district.map(Self.moves)
            let files = Self.newSystem.replacing("Reading 1", with: "Lesen", in: .courses)
            #expect(try await district.apply(files).outcome == .applied)
            let after = try await district.dump()
            await #expect(
                throws: DirectoryError.idMapStands(
                    map.id, reason: "import 2 was made with its ids; take that back first")
            ) { try await district.takeBack(map) }
            #expect(try await district.dump() == after)

            try await district.undo()
            try await district.takeBack(map)
            #expect(try await district.dump() == before)
            await #expect(
                throws: DirectoryError.idMapStands(map.id, reason: "it is taken back already")
            ) { try await district.takeBack(map) }
        }
    }

    @Test("of two maps the last is taken back first")
    func twoMaps() async throws {
        try await TestDatabase.sqlite.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let first = try await district.map([IDMove(.person, from: "S-1001", to: "a")])
            let second = try await district.map([IDMove(.person, from: "a", to: "b")])
            await #expect(throws: DirectoryError.self) { try await district.takeBack(first) }
            try await district.takeBack(second)
            try await district.takeBack(first)
            #expect(try await district.person("S-1001") != nil)
        }
    }

    @Test("a map is not taken back when somebody else has got a former id, or a record another one")
    func changedSince() async throws {
        try await TestDatabase.sqlite.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let map = try await district.map([IDMove(.person, from: "S-1001", to: "a")])
            try await district.execute("UPDATE person SET source_id = 'S-1001' WHERE source_id = 'S-1002'")
            await #expect(throws: DirectoryError.self) { try await district.takeBack(map) }
            try await district.execute("UPDATE person SET source_id = 'S-1002' WHERE source_id = 'S-1001'")
            try await district.execute("UPDATE person SET source_id = 'c' WHERE source_id = 'a'")
            await #expect(throws: DirectoryError.self) { try await district.takeBack(map) }
            try await district.execute("UPDATE person SET source_id = 'a' WHERE source_id = 'c'")
            try await district.takeBack(map)
        }
    }

    @Test("a merge that is taken back after a map gives the new id back", arguments: TestDatabase.available)
    func merges(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let imported = try #require(try await district.person("S-1001"))
            let now = imported.modifiedAt.addingTimeInterval(60)
            // The record that was kept is given up for a third one.
            let between = try await database.write { transaction in
                let records = try ["noor", "n.haddad"].map {
                    try Person.insert(
                        in: district.organization.id, givenName: "Noor", familyName: "Haddad",
                        userName: "\($0)@birch.example", at: now, in: transaction)
                }
                _ = try PersonMerge.make(of: imported, into: records[0], at: now, in: transaction)
                let between = try #require(try Person.find(records[0].id, in: transaction))
                _ = try PersonMerge.make(of: between, into: records[1], at: now, in: transaction)
                return between.id
            }
            let map = try await district.map(Self.moves)
            func sourceOfMerge() async throws -> String? {
                try await database.read { try PersonMerge.find(of: imported.id, in: $0)?.moved.identity?.sourceID }
            }
            #expect(try await sourceOfMerge() == "7001")
            try await district.takeBack(map)
            #expect(try await sourceOfMerge() == "S-1001")
            try await district.map(Self.moves)
            for id in [between, imported.id] {
                try await database.write { transaction in
                    try PersonMerge.find(of: id, in: transaction)?.takeBack(at: now, in: transaction)
                }
                #expect(try await district.person("7001")?.id == id)
            }
            #expect(try await district.apply(Self.newSystem).outcome != .defective)
            #expect(try await district.person("7001")?.state != .deactivated)
        }
    }
}

extension District {
    /// Applies a map without problems, an hour after the previous step.
    @discardableResult
    func map(_ moves: [IDMove]) async throws -> IDMap {
        advance()
        let now = now
        return try await database.write { transaction in
            try transaction.lockRoster()
            let plan = try IDMovePlan(moves, of: organization.id, in: transaction)
            #expect(plan.problems == [:])
            let map = try IDMap.insert(of: organization.id, at: now, in: transaction)
            try map.carryOut(plan, in: transaction)
            return map
        }
    }

    func takeBack(_ map: IDMap) async throws {
        advance()
        let now = now
        try await database.write { transaction in
            try IDMap.find(map.id, in: organization.id, transaction)?.takeBack(at: now, in: transaction)
        }
    }
}
