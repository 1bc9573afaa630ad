import Directory
import Foundation
import Storage
import Testing
import TestSupport

@testable import RosterFiles

/// Files that go on to name people who were erased.
@Suite struct ErasedPersonTests {
    private static let name = "noor.haddad@birch.example"

    /// Erases the person as an administrator does, as far as imports can see it.
    private func erase(_ person: Person, _ district: District) async throws {
        let (organization, now) = (district.organization.id, district.now)
        try await district.database.write { transaction in
            for table in ["class_student", "role_assignment"] {
                try transaction.execute("DELETE FROM \(table) WHERE person_id = $1", [person.id])
            }
            try person.eraseManaged(in: organization, at: now, in: transaction)
        }
    }

    @Test(
        "the import is held, and after an approval they are new people with new names",
        arguments: TestDatabase.available)
    func held(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let noor = try #require(try await district.person("S-1001"))
            #expect(noor.userName == Self.name)
            try await erase(noor, district)

            let report = try await district.apply(.example)
            #expect(report.outcome == .held)
            #expect(report.held.map(\.rule) == [.erased])
            #expect(report.held.map(\.count) == [1])
            #expect(report.found.contains("students.csv:2 person_id erased_person"))
            #expect(try await district.person("S-1001") == nil)
            // An approval of numbers alone is none of people.
            #expect(try await district.apply(.example, approval: report.planID).outcome == .held)

            let approved = try await district.apply(.example, identities: report.planID)
            #expect(approved.outcome == .applied)
            let back = try #require(try await district.person("S-1001"))
            #expect(back.id.rawValue > noor.id.rawValue)
            #expect(back.userName == "noor.haddad2@birch.example")
            #expect(back.state == .new)
            let left = try #require(try await database.read { try Person.find(noor.id, in: $0) })
            #expect(left.isErased && left.givenName.isEmpty && left.sourceID == nil)
            // From now on the id is the new person's.
            #expect(try await district.apply(.example).outcome == .nothingToDo)
        }
    }

    @Test("files without them are not held", arguments: TestDatabase.available)
    func gone(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            try await erase(try #require(try await district.person("S-1001")), district)
            let files = RosterTexts.example
                .removing("S-1001,LOC-10,Noor,Haddad,,40017,1,,nhaddad,4,", from: .students)
                .removing("R-000001,K-READ1-A,S-1001", from: .rosters)
            let report = try await district.apply(files)
            #expect(report.held.isEmpty)
            #expect([.applied, .nothingToDo].contains(report.outcome))
        }
    }

    @Test("an erasure after the plan makes its approval void", arguments: TestDatabase.available)
    func inBetween(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let files = RosterTexts.example.replacing("Tomasz", with: "Tomek", in: .students)
            let plan = try await district.plan(files)
            try await erase(try #require(try await district.person("S-1001")), district)
            let report = try await district.apply(files, approval: plan.planID, identities: plan.planID)
            #expect(report.outcome == .held)
            #expect(Set(report.held.map(\.rule)) == [.erased, .staleApproval])
            #expect(try await district.person("S-1001") == nil)
        }
    }

    @Test("taking an import back brings nobody back who was erased since", arguments: TestDatabase.available)
    func undo(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let noor = try #require(try await district.person("S-1001"))
            try await district.apply(.example.replacing("Haddad", with: "Hadad", in: .students))
            try await erase(noor, district)
            try await district.undo()
            let left = try #require(try await database.read { try Person.find(noor.id, in: $0) })
            #expect(left.isErased && left.familyName.isEmpty && left.state == .deactivated && left.sourceID == nil)
        }
    }
}
