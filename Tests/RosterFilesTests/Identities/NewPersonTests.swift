import Directory
import Foundation
import Ground
import Storage
import Testing
import TestSupport

@testable import RosterFiles

/// Ids that pass to new people: `lanyard import … --new-person`.
@Suite struct NewPersonTests {
    private static let reused = IdentityTests.reused

    /// A password, a session, a browser that the account knows, and a device that is about to be registered.
    private func signIn(_ person: Person, _ district: District) async throws {
        let id = person.id.rawValue
        try await district.execute(
            "INSERT INTO credential (person_id, password_hash, failures, changed_at) VALUES (\(id), 'x', 0, 0)")
        let (now, surroundings) = (district.now, district.surroundings)
        try await district.database.write { transaction in
            try person.activate(in: transaction)
            _ = try BrowserSession.insert(
                for: person.id, userAgent: "Safari", at: now, from: surroundings, in: transaction)
            try transaction.execute(
                """
                INSERT INTO device_registration_code (person_id, code_hash, expires_at) VALUES ($1, $2, $3)
                """,
                [person.id, SecretHash(of: "abc"), now.addingTimeInterval(900)])
        }
    }

    /// How many rows of each table belong to a person.
    private func belongings(of person: Person, _ district: District) async throws -> [String: Int] {
        let tables = [
            "credential", "browser_session", "known_browser", "device_registration_code", "registered_device",
        ]
        return try await district.database.read { transaction in
            try tables.reduce(into: [:]) { counts, table in
                let count = try transaction.first(
                    "SELECT COUNT(*) FROM \(table) WHERE person_id = $1", [person.id]
                ) { try $0[0] as Int }
                if let count, count > 0 { counts[table] = count }
            }
        }
    }

    @Test(
        "the row becomes a new account, and nothing of the former one reaches it",
        arguments: TestDatabase.available)
    func newAccount(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let noor = try #require(try await district.person("S-1001"))
            try await signIn(noor, district)

            let report = try await district.apply(Self.reused, newPeople: ["S-1001"])
            #expect(report.outcome == .applied)
            #expect(report.identities.passedOn == 1)
            #expect(report.counts.students.text == "+1 ~0 -1 ^0 =3")

            let emil = try #require(try await district.person("S-1001"))
            #expect(emil.id != noor.id)
            #expect(emil.state == .new)
            #expect(emil.userName == "emil.weber@birch.example")
            #expect(try await belongings(of: emil, district) == [:])
            #expect(try await district.memberships().contains("K-READ1-A S-1001"))
            #expect(try await district.roles("S-1001") == ["student LOC-10 1"])

            let former = try #require(try await database.read { try Person.find(noor.id, in: $0) })
            #expect(former.state == .deactivated)
            #expect(former.sourceID == nil)
            #expect(former.givenName == "Noor")
            #expect(try await belongings(of: former, district) == ["credential": 1])
            let classes = try await district.select(
                "SELECT CAST(class_id AS TEXT) FROM class_student WHERE person_id = \(noor.id.rawValue)")
            #expect(classes == [])
        }
    }

    @Test("an id of somebody who left years ago passes on as well", arguments: TestDatabase.available)
    func graduate(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let lis = try #require(try await district.person("S-2001"))
            try await district.force(MissingAndBackTests.withoutLis)
            let back = RosterTexts.example
                .replacing(
                    "Tomasz,Lis,Jan,40230,8,tomasz.lis@birch.example,tlis", with: "Emil,Weber,,,,,", in: .students)
            #expect(try await district.apply(back).held.map(\.rule) == [.replaced])
            let report = try await district.apply(back, newPeople: ["S-2001"])
            #expect(report.outcome == .applied)
            #expect(report.counts.students.text == "+1 ~0 -0 ^0 =3")
            #expect(try await district.person("S-2001")?.id != lis.id)
            try await district.undo()
            #expect(try await district.person("S-2001")?.id == lis.id)
            #expect(try await district.person("S-2001")?.state == .deactivated)
        }
    }

    @Test(
        "it is taken back: the former has the id again, the new one is withdrawn without it",
        arguments: TestDatabase.available)
    func undo(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let noor = try #require(try await district.person("S-1001"))
            try await signIn(noor, district)
            let before = try await district.dump()
            try await district.apply(Self.reused, newPeople: ["S-1001"])
            let emil = try #require(try await district.person("S-1001"))
            try await district.undo()

            let undone = try await district.dump()
            #expect(Set(before).subtracting(undone) == [])
            #expect(Set(undone).subtracting(before).count == 1)
            let withdrawn = try #require(try await database.read { try Person.find(emil.id, in: $0) })
            #expect(withdrawn.state == .deactivated)
            #expect(withdrawn.sourceID == nil)
            #expect(try await district.person("S-1001")?.state == .active)
            // The same files are held as before, and can be imported again.
            #expect(try await district.apply(Self.reused).held.map(\.rule) == [.replaced])
            #expect(try await district.apply(Self.reused, newPeople: ["S-1001"]).outcome == .applied)
        }
    }

    @Test("saying it twice makes no second account", arguments: TestDatabase.available)
    func twice(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            try await district.apply(Self.reused, newPeople: ["S-1001"])
            let before = try await district.dump()
            let again = try await district.apply(Self.reused, newPeople: ["S-1001"])
            #expect(again.outcome == .nothingToDo)
            #expect(again.found == ["students.csv:- person_id new_person_needless"])
            #expect(try await district.dump() == before)
        }
    }

    @Test("an id that the files do not have is an error", arguments: TestDatabase.available)
    func unknown(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let report = try await district.apply(Self.reused, newPeople: ["S-1001", "S-10O1"])
            #expect(report.outcome == .defective)
            #expect(report.found == ["students.csv:- person_id new_person_unknown"])
        }
    }

    @Test("the last Administrator gives up no id", arguments: TestDatabase.available)
    func administrator(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let person = try #require(try await district.person("T-0009"))
            let (id, now) = (district.organization.id, district.now)
            try await database.write { transaction in
                try RoleAssignment(.administrator, at: nil).insert(for: person.id, of: id, at: now, in: transaction)
            }
            let files = RosterTexts.example.replacing(
                "90009,Rita,,Sand,rita.sand@birch.example,rsand", with: "90010,Ulla,,Voss,u@birch.example,uvoss",
                in: .staff)
            let report = try await district.apply(files, newPeople: ["T-0009"])
            #expect(report.outcome == .defective)
            #expect(report.found == ["staff.csv:- person_id new_person_for_administrator"])
        }
    }

    @Test("the approval of a plan with new people is not one without them", arguments: TestDatabase.available)
    func planID(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let with = try await district.plan(Self.reused, newPeople: ["S-1001"])
            let without = try await district.plan(Self.reused)
            #expect(with.planID != without.planID)
            #expect(with.held == [])
        }
    }
}
