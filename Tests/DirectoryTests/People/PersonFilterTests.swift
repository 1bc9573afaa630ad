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

    // Until PostgreSQL has statistics, which takes it a minute or more after an import, each way seems as good to it as another.
    @Test(
        "a page of those who hold a role does not read everybody for each, also right after many have come",
        .enabled(if: TestDatabase.postgresURL != nil, "set LANYARD_TEST_POSTGRES, or run `make test`"))
    func readsOncePerPage() async throws {
        try await TestDatabase.postgres.with { database in
            let school = try await School.insert(in: database)
            let (organization, now) = (school.organization.id, school.fixed.now)
            try await database.write { transaction in
                for number in 0..<1_000 {
                    let person = try Person.insert(
                        in: organization, givenName: "Pupil", familyName: "N\(number)",
                        userName: "n\(number)@maple.example", at: now, in: transaction)
                    try RoleAssignment(.student, at: school.location.id).insert(
                        for: person.id, of: organization, at: now, in: transaction)
                }
            }
            let (found, read) = try await database.read { transaction in
                let page = try Person.page(
                    of: organization, matching: PersonFilter(role: .student), limit: 100, in: transaction)
                let read = try transaction.first(
                    """
                    SELECT seq_tup_read + COALESCE(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables
                    WHERE relname = 'person'
                    """
                ) { try $0[0] as Int }
                return (page.count, try #require(read))
            }
            #expect(found == 100)
            // Everybody once or twice, as it may seem best for so few, but not for each holder.
            #expect(read >= 100 && read <= 2_100)
        }
    }

    @Test(
        "page by page everybody is found once, whatever roles they hold at however many places",
        arguments: TestDatabase.available)
    func pages(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let organization = school.organization.id
            let places = [
                school.location.id, try await school.insertLocation("Annex").id,
                try await school.insertLocation("Gym").id,
            ]
            let (roles, states) = ([Role.staff, .instructor, .student], [Person.State.new, .active, .locked])
            var held: [PersonID: Set<[Int]>] = [:]
            var state: [PersonID: Person.State] = [:]
            for number in 0..<40 {
                let person = try await school.insertPerson("p\(number)", roles[number % 3], at: places[number % 2])
                held[person.id] = [[number % 3, number % 2]]
                for (role, place) in [(number % 2, number % 3), (2, number / 7 % 3)] where number % 4 != 0 {
                    guard held[person.id]?.insert([role, place]).inserted == true else { continue }
                    try await school.assign(roles[role], at: places[place], to: person)
                }
                state[person.id] = states[number % 5 % 3]
            }
            try await database.write { [state] transaction in
                for (person, state) in state {
                    try transaction.execute("UPDATE person SET state = $2 WHERE id = $1", [person, state])
                }
            }
            for role in [nil, 0, 1, 2] {
                for place in [nil, 0, 1, 2] {
                    for wanted in [nil] + states.map(Optional.some) where role != nil || place != nil {
                        let filter = PersonFilter(
                            role: role.map { roles[$0] }, state: wanted, location: place.map { places[$0] })
                        var found: [PersonID] = []
                        while true {
                            let last = found.last ?? .none
                            let page = try await database.read {
                                try Person.page(of: organization, matching: filter, after: last, limit: 7, in: $0)
                            }
                            found += page.map(\.id)
                            if page.count < 7 { break }
                        }
                        let expected = held.keys.sorted().filter { person in
                            (wanted == nil || state[person] == wanted)
                                && held[person, default: []].contains {
                                    (role == nil || $0[0] == role) && (place == nil || $0[1] == place)
                                }
                        }
                        #expect(found == expected, "\(String(describing: role)) \(String(describing: place))")
                    }
                }
            }
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
