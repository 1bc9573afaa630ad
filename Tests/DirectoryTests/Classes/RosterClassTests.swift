import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@testable import Directory

@Suite struct RosterClassTests {
    @Test(
        "a class lists its instructors in their order, its students by id, nobody deactivated",
        arguments: TestDatabase.available)
    func members(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            var pupils: [Person] = []
            for index in 0..<4 { pupils.append(try await school.insertPerson("p\(index)", .student)) }
            let second = try await school.insertPerson("second", .instructor)
            let first = try await school.insertPerson("first", .instructor)
            let gone = try await school.insertPerson("gone", .instructor)
            let id = try await school.insertClass(
                "Science", instructors: [gone, first, second], students: pupils.reversed())
            try await school.deactivate(gone)
            try await school.deactivate(pupils[1])

            let organization = school.organization.id
            let found = try await database.read { try RosterClass.find(id, in: organization, $0) }
            #expect(found?.instructors == [first.id, second.id])
            #expect(found?.students == [pupils[0].id, pupils[2].id, pupils[3].id])
            let page = try await database.read {
                try RosterClass.page(of: organization, through: .everything, after: .none, limit: 9, in: $0)
            }
            #expect(page == [try #require(found)])
        }
    }

    @Test(
        "the members of a page of classes are looked up one by one through rules, among however many people",
        arguments: TestDatabase.available)
    func plan(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let organization = school.organization.id
            @Sendable func numbers(to last: Int) -> String {
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(last))"
            }
            try await database.write { transaction in
                try transaction.execute(
                    """
                    INSERT INTO person (organization_id, source, given_name, family_name, grade, user_name, state,
                                        created_at, modified_at)
                    \(numbers(to: 60_000))
                    SELECT $1, 'manual', 'Given', 'Family', '7', 'person' || i, 'active', 0, 0 FROM n
                    """, [organization])
                try transaction.execute(
                    """
                    INSERT INTO role_assignment (person_id, organization_id, location_id, source, role, roster_role)
                    SELECT id, organization_id, 0, 'manual', 'student', 'Student' FROM person
                    """)
                try transaction.execute(
                    """
                    INSERT INTO class (organization_id, source, name, created_at, modified_at)
                    \(numbers(to: 2_000)) SELECT $1, 'manual', 'Class ' || i, 0, 0 FROM n
                    """, [organization])
                try transaction.execute(
                    """
                    INSERT INTO class_student (class_id, person_id)
                    \(numbers(to: 60_000))
                    SELECT (i - 1) % 2000 + (SELECT MIN(id) FROM class), i - 1 + (SELECT MIN(id) FROM person) FROM n
                    """)
                if transaction.dialect == .postgres { try transaction.execute("ANALYZE") }
            }
            let all = SharingFilter(
                rules: 1, limitsLocations: true, limitsGrades: true, limitsClasses: false, leavesOut: true,
                roles: [.student, .staff], withheld: [], changedAt: .distantPast, at: .distantPast)
            // Without rules PostgreSQL would rather read 60 000 people than look 6 000 up, and is right.
            for sharing in kind == .sqlite ? [SharingFilter.everything, all] : [all] {
                let query = RosterClass.membersQuery(
                    of: RosterClass.pageSelection(through: sharing), as: .student, through: sharing, at: "$4")
                let steps = try await database.read { transaction in
                    let parameters: [any SQLConvertible] = [organization, ClassID.none, 200, sharing.now]
                    switch transaction.dialect {
                    case .sqlite:
                        return try transaction.all("EXPLAIN QUERY PLAN \(query)", parameters) {
                            try $0["detail"] as String
                        }
                    case .postgres: return try transaction.all("EXPLAIN \(query)", parameters) { try $0[0] as String }
                    }
                }
                let lookUps = ["SEARCH person USING INTEGER PRIMARY KEY", "Index Scan using person_pkey on person"]
                let isLookedUp = steps.contains { step in lookUps.contains { step.contains($0) } }
                let isRead = steps.contains { $0.hasPrefix("SCAN person") || $0.contains("Seq Scan on person") }
                #expect(isLookedUp && !isRead, "\(steps.joined(separator: "\n"))")
            }
        }
    }

    @Test("a class shows members of its own organization only", arguments: TestDatabase.available)
    func foreignMembers(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let other = try await School.insert(in: database, school.fixed, name: "Oak")
            let (own, foreign) = (try await school.insertPerson("own"), try await other.insertPerson("foreign"))
            let id = try await school.insertClass("Science", instructors: [foreign, own], students: [own, foreign])
            let organization = school.organization.id
            let (found, members) = try await database.read { transaction in
                (
                    try RosterClass.find(id, in: organization, transaction),
                    try RosterPerson.page(
                        ofClass: id, role: nil, through: .everything, after: .none, limit: 9,
                        at: school.fixed.now, in: transaction)
                )
            }
            #expect(found?.instructors == [own.id])
            #expect(found?.students == [own.id])
            #expect(members.map(\.id) == [own.id])
        }
    }

    @Test("a class changes with the deactivation of a member, and with its end", arguments: TestDatabase.available)
    func modifiedWithItsMembers(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let pupil = try await school.insertPerson("pupil", .student)
            let teacher = try await school.insertPerson("teacher", .instructor)
            let ids = [
                try await school.insertClass("hers", students: [pupil]),
                try await school.insertClass("his", instructors: [teacher]),
                try await school.insertClass("nobody's"),
            ]
            func modified() async throws -> [Bool] {
                let (organization, now) = (school.organization.id, school.fixed.now)
                let page = try await database.read {
                    try RosterClass.page(of: organization, through: .everything, after: .none, limit: 9, in: $0)
                }
                #expect(page.map(\.id) == ids)
                return page.map { $0.modifiedAt == now }
            }
            func advanced() -> Date {
                school.fixed.advance(by: 60)
                return school.fixed.now
            }
            let first = advanced()
            try await database.write { try pupil.deactivate(at: first, in: $0) }
            #expect(try await modified() == [true, false, false])
            let second = advanced()
            try await database.write { try teacher.deactivate(at: second, in: $0) }
            #expect(try await modified() == [false, true, false])
            let third = advanced()
            try await database.write { try pupil.reactivate(at: third, in: $0) }
            #expect(try await modified() == [true, false, false])
            let fourth = advanced()
            try await database.write { try pupil.reactivate(at: fourth, in: $0) }
            #expect(try await modified() == [false, false, false])
        }
    }

    @Test(
        "pages follow each other without gap or repeat, each class with its own members",
        arguments: TestDatabase.available)
    func pages(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let other = try await School.insert(in: database, name: "Oak")
            let pupil = try await school.insertPerson("pupil", .student)
            let teacher = try await school.insertPerson("teacher", .instructor)
            var all: [ClassID] = []
            for index in 0..<7 {
                _ = try await other.insertClass("foreign")
                let (hasTeacher, hasPupil) = (index.isMultiple(of: 2), index.isMultiple(of: 3))
                all.append(
                    try await school.insertClass(
                        "Class \(index)", instructors: hasTeacher ? [teacher] : [], students: hasPupil ? [pupil] : []))
            }
            let archived = all[5]
            try await database.write { try $0.execute("UPDATE class SET archived_at = 1 WHERE id = $1", [archived]) }
            for limit in [1, 2, 3, 100] {
                var seen: [RosterClass] = []
                repeat {
                    let last = seen.last?.id ?? .none
                    let page = try await database.read {
                        try RosterClass.page(
                            of: school.organization.id, through: .everything, after: last, limit: limit, in: $0)
                    }
                    guard let first = page.first else { break }
                    try #require(first.id > last, "the crawl does not move on")
                    #expect(page.count <= limit)
                    seen += page
                } while true
                #expect(seen.map(\.name) == [0, 1, 2, 3, 4, 6].map { "Class \($0)" })
                #expect(seen.map { $0.instructors.count } == [1, 0, 1, 0, 1, 1])
                #expect(seen.map { $0.students.count } == [1, 0, 0, 1, 0, 1])
            }
        }
    }

    @Test("an archived or foreign class is not found and not counted", arguments: TestDatabase.available)
    func notFound(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let other = try await School.insert(in: database, name: "Oak")
            let (stays, archived) = (try await school.insertClass("stays"), try await school.insertClass("archived"))
            let foreign = try await other.insertClass("foreign")
            try await database.write { try $0.execute("UPDATE class SET archived_at = 1 WHERE id = $1", [archived]) }
            for (id, isThere) in [(stays, true), (archived, false), (foreign, false), (ClassID(rawValue: 999), false)] {
                let (found, exists) = try await database.read { transaction in
                    (
                        try RosterClass.find(id, in: school.organization.id, transaction) != nil,
                        try RosterClass.exists(id, in: school.organization.id, transaction)
                    )
                }
                #expect(found == isThere)
                #expect(exists == isThere)
            }
            let count = try await database.read { try RosterClass.count(of: school.organization.id, in: $0) }
            #expect(count == 1)
        }
    }

    @Test("the people of a class are filtered by their role in the class", arguments: TestDatabase.available)
    func membersByRole(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let pupil = try await school.insertPerson("pupil", .student)
            // A teacher who learns with the class, and a pupil who teaches it.
            let learner = try await school.insertPerson("learner", .instructor)
            let tutor = try await school.insertPerson("tutor", .student)
            let both = try await school.insertPerson("both", .instructor)
            let gone = try await school.insertPerson("gone", .student)
            let outsider = try await school.insertPerson("outsider", .student)
            let id = try await school.insertClass(
                "Chess", instructors: [tutor, both], students: [pupil, learner, both, gone])
            _ = try await school.insertClass("Other", students: [outsider])
            try await school.deactivate(gone)

            func crawl(_ role: RosterRole?) async throws -> [PersonID] {
                var seen: [PersonID] = []
                repeat {
                    let last = seen.last ?? .none
                    let page = try await database.read {
                        try RosterPerson.page(
                            ofClass: id, role: role, through: .everything, after: last, limit: 2,
                            at: school.fixed.now, in: $0)
                    }
                    guard let first = page.first else { return seen }
                    try #require(first.id > last, "the crawl does not move on")
                    seen += page.map(\.id)
                } while true
            }
            let (students, instructors, all) = (
                try await crawl(.student), try await crawl(.instructor), try await crawl(nil)
            )
            #expect(students == [pupil.id, learner.id, both.id])
            #expect(instructors == [tutor.id, both.id])
            #expect(all == [pupil.id, learner.id, tutor.id, both.id])
        }
    }

    @Test("a class with a bad field is not made", arguments: TestDatabase.available)
    func badField(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let organization = school.organization.id
            for (name, room, number) in [
                ("", nil, nil), ("Art", String(repeating: "r", count: 513), nil), ("Art", nil, "1\u{1}"),
            ] as [(String, String?, String?)] {
                await #expect(throws: DirectoryError.self) {
                    try await database.write { transaction in
                        _ = try RosterClass.insert(
                            in: organization, name: name, number: number, room: room, at: FixedSurroundings.start,
                            in: transaction)
                    }
                }
            }
            let count = try await database.read { try RosterClass.count(of: organization, in: $0) }
            #expect(count == 0)
        }
    }
}
