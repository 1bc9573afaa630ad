@testable import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct RosterPersonTests {
    /// Every page one after the other; `between` runs after each.
    private func crawl(
        _ school: School, role: RosterRole? = nil, limit: Int = 2, between: (Int) async throws -> Void = { _ in }
    ) async throws -> [RosterPerson] {
        var seen: [RosterPerson] = []
        for round in 0... {
            let last = seen.last?.id ?? .none
            let page = try await school.database.read {
                try RosterPerson.page(
                    of: school.organization.id, role: role, through: .everything, after: last, limit: limit,
                    at: school.fixed.now, in: $0)
            }
            #expect(page.count <= limit)
            guard let first = page.first else { break }
            try #require(first.id > last, "the crawl does not move on")
            seen += page
            try await between(round)
        }
        return seen
    }

    @Test("a crawl sees everyone of the organization once, by id", arguments: TestDatabase.available)
    func everyoneOnce(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let other = try await School.insert(in: database, name: "Oak")
            var people: [Person] = []
            for index in 0..<7 {
                people.append(try await school.insertPerson("p\(index)", .student))
                _ = try await other.insertPerson("foreign\(index)", .student)
            }
            // A developer's personal account belongs to no organization.
            try await database.write { transaction in
                _ = try Person.insert(
                    in: nil, givenName: "Dev", familyName: "Eloper", userName: "dev@example.com",
                    at: FixedSurroundings.start, in: transaction)
            }
            for limit in [1, 2, 3, 100] {
                let seen = try await crawl(school, limit: limit)
                #expect(seen.map(\.id) == people.map(\.id))
            }
        }
    }

    @Test("deactivated people are left out, locked and new ones are not", arguments: TestDatabase.available)
    func deactivated(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let stays = try await school.insertPerson("stays", .student)
            let locked = try await school.insertPerson("locked", .student)
            let gone = try await school.insertPerson("gone", .student)
            try await database.write { try $0.execute("UPDATE person SET state = 'locked' WHERE id = $1", [locked.id]) }
            try await school.deactivate(gone)
            for role in [nil, RosterRole.student] {
                let seen = try await crawl(school, role: role)
                #expect(seen.map(\.id) == [stays.id, locked.id])
            }
            let (found, missing, count) = try await database.read { transaction in
                (
                    try RosterPerson.find(
                        stays.id, in: school.organization.id, through: .everything, at: school.fixed.now, transaction),
                    try RosterPerson.find(
                        gone.id, in: school.organization.id, through: .everything, at: school.fixed.now, transaction),
                    try Person.count(of: school.organization.id, in: transaction)
                )
            }
            #expect(found?.id == stays.id)
            #expect(missing == nil)
            #expect(count == 2)
        }
    }

    @Test("a role filter gives each holder once, with all their roles", arguments: TestDatabase.available)
    func roleFilter(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let annex = try await school.insertLocation("Annex")
            let teacher = try await school.insertPerson("teacher", .instructor)
            try await school.assign(.instructor, at: annex.id, to: teacher)
            try await school.assign(.instructor, at: nil, to: teacher)
            try await school.assign(.student, at: annex.id, to: teacher)
            let pupil = try await school.insertPerson("pupil", .student)
            let manager = try await school.insertPerson("manager", .administrator, .manager, .staff)
            let nobody = try await school.insertPerson("nobody")

            let instructors = try await crawl(school, role: .instructor, limit: 1)
            #expect(instructors.map(\.id) == [teacher.id])
            #expect(
                instructors.first?.roles == [
                    .init(role: .instructor, location: nil), .init(role: .instructor, location: school.location.id),
                    .init(role: .instructor, location: annex.id), .init(role: .student, location: annex.id),
                ])
            let students = try await crawl(school, role: .student, limit: 1)
            #expect(students.map(\.id) == [teacher.id, pupil.id])
            let staff = try await crawl(school, role: .staff, limit: 1)
            #expect(staff.map(\.id) == [manager.id])
            // Apps see these three roles as one.
            #expect(staff.first?.roles == [.init(role: .staff, location: school.location.id)])
            // A person who holds the role at three places is on the page once.
            let second = try await school.insertPerson("second", .instructor)
            let full = try await database.read {
                try RosterPerson.page(
                    of: school.organization.id, role: .instructor, through: .everything, after: .none, limit: 2,
                    at: school.fixed.now, in: $0)
            }
            #expect(full.map(\.id) == [teacher.id, second.id])
            let everyone = try await crawl(school)
            #expect(everyone.map(\.id) == [teacher.id, pupil.id, manager.id, nobody.id, second.id])
            #expect(everyone[3].roles == [])
        }
    }

    @Test("people with more roles than a page has people come whole, each once", arguments: TestDatabase.available)
    func manyRoles(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            var places: [LocationID] = []
            for index in 0..<12 { places.append(try await school.insertLocation("Place \(index)").id) }
            var people: [PersonID: Int] = [:]
            for (index, count) in [12, 0, 1, 12, 3, 1, 0, 5].enumerated() {
                let person = try await school.insertPerson("p\(index)")
                for place in places.prefix(count) { try await school.assign(.instructor, at: place, to: person) }
                people[person.id] = count
            }
            for limit in 1...9 {
                let seen = try await crawl(school, limit: limit)
                #expect(seen.map(\.id) == people.keys.sorted { $0.rawValue < $1.rawValue }, "\(limit)")
                #expect(Dictionary(uniqueKeysWithValues: seen.map { ($0.id, $0.roles.count) }) == people, "\(limit)")
            }
        }
    }

    @Test("a page follows the indexes of people and roles, with and without rules, and sorts nothing")
    func plan() async throws {
        try await TestDatabase.sqlite.with { database in
            func steps(_ sharing: SharingFilter) async throws -> [String] {
                try await database.read {
                    try $0.all("EXPLAIN QUERY PLAN \(RosterPerson.pageQuery(through: sharing))", [1, 0, 100]) {
                        try $0["detail"] as String
                    }
                }
            }
            let all = SharingFilter(
                rules: 1, limitsLocations: true, limitsGrades: true, limitsClasses: true, leavesOut: true,
                roles: [.student, .staff], withheld: [], changedAt: .distantPast, at: .distantPast)
            for sharing in [SharingFilter.everything, all] {
                let found = try await steps(sharing)
                try #require(found.count >= 2)
                #expect(found[0] == "SEARCH p USING INDEX person_of_organization (organization_id=? AND id>?)")
                #expect(found.contains { $0.hasPrefix("SEARCH r USING PRIMARY KEY (person_id=?)") }, "\(found)")
                #expect(!found.contains { $0.contains("TEMP B-TREE") || $0.hasPrefix("SCAN") }, "\(found)")
            }
        }
    }

    @Test(
        "people who come and go between pages cause neither gaps nor repeats of the others",
        arguments: TestDatabase.available)
    func keyset(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            for role in [nil, RosterRole.student] {
                let school = try await School.insert(in: database, name: "School \(role?.rawValue ?? "all")")
                var people: [Person] = []
                for index in 0..<10 {
                    people.append(
                        try await school.insertPerson("\(school.organization.id.rawValue)p\(index)", .student))
                }
                let untouched = people.enumerated().filter { ![1, 4, 8].contains($0.offset) }.map(\.element.id)
                let seen = try await crawl(school, role: role, limit: 3) { [people] round in
                    switch round {
                    case 0: try await school.deactivate(people[1])  // of the page that was read
                    case 1: try await school.deactivate(people[8])  // of a page to come
                    case 2: _ = try await school.insertPerson("\(school.organization.id.rawValue)new", .student)
                    default: break
                    }
                    if round == 0 { try await school.deactivate(people[4]) }
                }
                #expect(Set(seen.map(\.id)).count == seen.count)
                #expect(untouched.allSatisfy(seen.map(\.id).contains))
                #expect(seen.last?.givenName.hasSuffix("new") == true)
                #expect(!seen.map(\.id).contains(people[8].id))
            }
        }
    }

    @Test("a person of another organization is not found", arguments: TestDatabase.available)
    func foreign(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let other = try await School.insert(in: database, name: "Oak")
            let foreign = try await other.insertPerson("foreign", .student, email: "f@oak.example", grade: "4")
            let (here, there) = try await database.read { transaction in
                (
                    try RosterPerson.find(
                        foreign.id, in: school.organization.id, through: .everything, at: school.fixed.now, transaction),
                    try RosterPerson.find(
                        foreign.id, in: other.organization.id, through: .everything, at: school.fixed.now, transaction)
                )
            }
            #expect(here == nil)
            #expect(there?.email == "f@oak.example")
            #expect(there?.grade == "4")
            #expect(there?.middleName == nil)
        }
    }
}
