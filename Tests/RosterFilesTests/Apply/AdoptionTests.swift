import Directory
import Foundation
import Storage
import TestSupport
import Testing

@testable import RosterFiles

/// Accounts made by hand that the files come to name.
@Suite struct AdoptionTests {
    @Test(
        "an account made by hand is the files' from the import on that names it, with its role and its classes",
        arguments: TestDatabase.available)
    func adopts(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let person = try await makeLis(district)
            let report = try await district.apply(.example)
            #expect(report.outcome == .applied)
            #expect(report.found == ["students.csv:4 person_id record_taken_over"])
            #expect(report.counts.students.text == "+3 ~1 -0 ^0 =0")

            let adopted = try #require(try await district.person("S-2001"))
            #expect(adopted.id == person.id)
            #expect(adopted.source == .csv)
            #expect(adopted.givenName == "Tomasz")
            #expect(adopted.userName == "tom@birch.example")
            #expect(try await district.roles("S-2001") == ["student LOC-20 1"])
            #expect(try await district.memberships().contains("K-BIO8-1 S-2001"))
            let again = try await district.apply(.example)
            #expect(again.outcome == .nothingToDo)
            #expect(again.found == [])

            try await district.apply(MissingAndBackTests.withoutLis)
            #expect(try await district.person("S-2001")?.state == .deactivated)
        }
    }

    @Test(
        "the role that the files give follows them, another one given by hand stays",
        arguments: TestDatabase.available)
    func roles(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(MissingAndBackTests.withoutLis)
            let person = try await makeLis(district)
            try await give(.student, at: "LOC-20", to: person, district)
            try await give(.staff, at: "LOC-10", to: person, district)
            try await district.apply(.example)
            #expect(try await district.roles("S-2001") == ["staff LOC-10 -", "student LOC-20 1"])
            // The files move the pupil to the other school.
            try await district.force(.example.replacing("S-2001,LOC-20", with: "S-2001,LOC-10", in: .students))
            #expect(try await district.roles("S-2001") == ["staff LOC-10 -", "student LOC-10 1"])
        }
    }

    @Test("undo gives the account and its role back to the hand", arguments: TestDatabase.available)
    func undo(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(MissingAndBackTests.withoutLis)
            let person = try await makeLis(district)
            try await give(.student, at: "LOC-20", to: person, district)
            let before = try await district.dump()
            #expect(try await district.apply(.example).outcome == .applied)
            #expect(try await district.dump() != before)
            try await district.undo()
            #expect(try await district.dump() == before)
        }
    }

    @Test("who was deactivated by hand is adopted, and stays deactivated", arguments: TestDatabase.available)
    func deactivated(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let (person, now) = (try await makeLis(district), district.now)
            try await database.write { try person.deactivate(at: now, in: $0) }
            let report = try await district.apply(.example)
            #expect(
                report.found == [
                    "students.csv:4 person_id record_taken_over", "students.csv:4 person_id deactivated_by_hand",
                ])
            #expect(try await district.person("S-2001")?.state == .deactivated)
            #expect(try await district.person("S-2001")?.source == .csv)
        }
    }

    private func makeLis(_ district: District) async throws -> Person {
        let (id, now) = (district.organization.id, district.now)
        return try await district.database.write {
            try Person.insert(
                in: id, sourceID: "S-2001", givenName: "Tom", familyName: "Lis", userName: "tom@birch.example", at: now,
                in: $0)
        }
    }

    private func give(_ role: Role, at place: String, to person: Person, _ district: District) async throws {
        let (id, now) = (district.organization.id, district.now)
        try await district.database.write { transaction in
            let location = try Location.find(sourceID: place, in: id, transaction)
            try RoleAssignment(role, at: location?.id).insert(for: person.id, of: id, at: now, in: transaction)
        }
    }

    @Test(
        "who was made by hand and is in no file stays active, also when everybody else leaves",
        arguments: TestDatabase.available)
    func madeByHandStays(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let (id, now) = (district.organization.id, district.now)
            let made = try await database.write { transaction in
                try [nil, "H-1"].map { sourceID in
                    try Person.insert(
                        in: id, sourceID: sourceID, givenName: "Hanna", familyName: "Hand",
                        userName: "hanna\(sourceID ?? "")@birch.example", at: now, in: transaction)
                }
            }
            try await district.force(.example.emptying(.students).emptying(.rosters))
            for person in made {
                let after = try await database.read { try Person.find(person.id, in: $0) }
                #expect(after?.state == .new)
                #expect(after?.modifiedAt == person.modifiedAt)
            }
            #expect(try await district.person("S-1001")?.state == .deactivated)
        }
    }
}
