import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct PersonFilterTests {
    @Test("people are listed by place, role there, and class", arguments: TestDatabase.available)
    func filters(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let annex = try await school.insertLocation("Annex")
            let teacher = try await school.insertPerson("teacher", .instructor)
            try await school.assign(.staff, at: annex.id, to: teacher)
            let pupil = try await school.insertPerson("pupil", .student, at: annex.id)
            _ = try await school.insertPerson("other", .student)
            let art = try await school.insertClass("Art", instructors: [teacher], students: [pupil])
            let organization = school.organization.id
            func list(_ filter: PersonFilter) async throws -> [String] {
                try await database.read {
                    try Person.page(of: organization, matching: filter, limit: 10, in: $0).map(\.givenName)
                }
            }
            let atAnnex = try await list(PersonFilter(location: annex.id))
            let staffAtAnnex = try await list(PersonFilter(role: .staff, location: annex.id))
            let teachersAtAnnex = try await list(PersonFilter(role: .instructor, location: annex.id))
            let inArt = try await list(PersonFilter(rosterClass: art))
            let pupilsInArt = try await list(PersonFilter(role: .student, rosterClass: art, text: "PUP"))
            #expect(atAnnex == ["teacher", "pupil"])
            #expect(staffAtAnnex == ["teacher"])
            #expect(teachersAtAnnex == [])
            #expect(inArt == ["teacher", "pupil"])
            #expect(pupilsInArt == ["pupil"])
            let found = try await database.read { try RosterClass.list(called: "Art", in: organization, $0) }
            #expect(found == [art])
        }
    }

    @Test("personal accounts with an address of a domain are counted", arguments: TestDatabase.available)
    func domains(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            _ = try await school.insertPerson("managed", email: "managed@maple.example")
            let now = school.fixed.now
            let counts = try await database.write { transaction in
                for (name, email) in [("a@maple.example", nil), ("b", "B@Maple.example"), ("c", "c@notmaple.example")] {
                    _ = try Person.insert(
                        in: nil, givenName: "A", familyName: "B", email: email, userName: name, at: now,
                        in: transaction)
                }
                return try ["maple.example", "oak.example"].map { try Person.countPersonal(in: $0, transaction) }
            }
            #expect(counts == [2, 0])
        }
    }
}
