import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@testable import Authorization
@testable import Directory

/// What the queries return is what the plain rules say of each record.
@Suite struct SharingRulesTests {
    @Test("any rules, in any school: queries and rules agree", arguments: TestDatabase.available)
    func agree(_ kind: TestDatabase) async throws {
        for _ in 0..<3 {
            try await kind.with { database in
                let random = try await RandomSchool(in: database, people: 32, classes: 8)
                let app = try await RegisteredApp.insert(
                    in: database, random.school.fixed, under: MasterKey(bytes: [UInt8](repeating: 1, count: 32))
                ).app.id
                for _ in 0..<30 {
                    let rules = random.randomRules()
                    random.school.fixed.advance(by: 60)
                    try await agree(rules, for: app, in: random)
                }
            }
        }
    }

    @Test(
        "what an app sees of a large school is counted with a change and by the server, and not by who asks",
        arguments: TestDatabase.available)
    func keptCounts(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let organization = school.organization.id
            let app = try await RegisteredApp.insert(
                in: database, school.fixed, under: MasterKey(bytes: [UInt8](repeating: 1, count: 32))
            ).app.id
            for name in ["a", "b", "c"] { _ = try await school.insertPerson(name, .student) }
            _ = try await school.insertClass("Choir")
            func put(_ rules: SharingRules) async throws {
                let now = school.fixed.now
                try await database.write { try rules.put(for: app, of: organization, at: now, in: $0) }
            }
            func count(atOnce: Int = 1) async throws -> [Int] {
                let now = school.fixed.now
                return try await database.read { transaction in
                    let sharing = try SharingFilter.find(for: app, of: organization, at: now, in: transaction)
                    return [
                        try RosterPerson.count(
                            of: organization, through: sharing, at: now, atOnce: atOnce, in: transaction),
                        try RosterClass.count(of: organization, through: sharing, atOnce: 0, in: transaction),
                    ]
                }
            }
            func countInBackground() async throws {
                try await CountedRecords.countLarge(in: database, above: 1)
                try await SharingCounts.countLarge(in: database, at: school.fixed.now, above: 1)
            }
            let place = SharingRules(locations: [school.location.id])
            try await put(place)
            // Nobody has counted yet, and nobody does as long as the school is not found to be large.
            #expect(try await count() == [3, 1])
            try await SharingCounts.countLarge(in: database, at: school.fixed.now, above: 1)
            let isKept = try await database.read { try $0.exists("SELECT 1 FROM sharing_count") }
            #expect(!isKept)
            try await countInBackground()
            _ = try await school.insertPerson("d", .student)
            _ = try await school.insertClass("Band")
            #expect(try await count() == [3, 1])
            #expect(try await count(atOnce: 10) == [4, 1])
            // The count is young enough.
            school.fixed.advance(by: SharingCounts.maxAge - 1)
            try await countInBackground()
            #expect(try await count() == [3, 1])
            school.fixed.advance(by: 1)
            try await countInBackground()
            #expect(try await count() == [4, 2])
            // Other rules, and a count that was begun before they were there.
            let former = try await database.read { [now = school.fixed.now] in
                try SharingFilter.find(for: app, of: organization, at: now, in: $0)
            }
            school.fixed.advance(by: 60)
            try await put(SharingRules(locations: []))
            #expect(try await count() == [0, 0])
            let now = school.fixed.now
            try await database.write { try SharingCount(people: 7, classes: 7).keep(for: former, at: now, in: $0) }
            #expect(try await count() == [0, 0])
            // What is withheld keeps nobody back.
            school.fixed.advance(by: 60)
            try await put(SharingRules(withheld: [.email]))
            #expect(try await count() == [4, 2])
        }
    }

    private func agree(_ rules: SharingRules, for app: AppID, in random: RandomSchool) async throws {
        let (organization, now) = (random.school.organization.id, random.school.fixed.now)
        try await random.school.database.write { try rules.put(for: app, of: organization, at: now, in: $0) }
        try await random.school.database.read { transaction in
            #expect(try SharingRules.find(for: app, of: organization, in: transaction) == rules)
            let sharing = try SharingFilter.find(for: app, of: organization, at: now, in: transaction)
            let plain = try PlainRoster(random, in: transaction)

            let people = plain.people.filter { rules.shares($0.subject) }.map {
                plain.seen($0, through: rules, at: now)
            }
            func page(_ role: RosterRole?) throws -> [RosterPerson] {
                try Self.all { last in
                    try RosterPerson.page(
                        of: organization, role: role, through: sharing, after: last, limit: 7, at: now,
                        in: transaction)
                }
            }
            #expect(try page(nil) == people, "\(rules)")
            for role in RosterRole.allCases {
                let expected = people.filter { person in person.roles.contains { $0.role == role } }
                #expect(try page(role) == expected, "\(role), \(rules)")
            }
            #expect(
                try RosterPerson.ids(of: organization, through: sharing, at: now, in: transaction) == people.map(\.id))
            #expect(
                try RosterPerson.count(of: organization, through: sharing, at: now, in: transaction) == people.count)
            for id in random.people {
                let found = try RosterPerson.find(id, in: organization, through: sharing, at: now, transaction)
                #expect(found == people.first { $0.id == id }, "\(id), \(rules)")
            }

            let classes = plain.classes.filter { rules.shares(plain.subject($0)) }
                .map { plain.seen($0, through: rules, at: now) }
            let found = try Self.all { last in
                try RosterClass.page(of: organization, through: sharing, after: last, limit: 3, in: transaction)
            }
            #expect(found == classes, "\(rules)")
            #expect(try RosterClass.count(of: organization, through: sharing, in: transaction) == classes.count)
            for id in random.classes {
                let expected = classes.first { $0.id == id }
                #expect(try RosterClass.find(id, in: organization, through: sharing, transaction) == expected)
                #expect(
                    try RosterClass.exists(id, in: organization, through: sharing, transaction) == (expected != nil))
                for role in [nil, RosterRole.student, .instructor] {
                    let members = Set(
                        (role == .instructor ? [] : expected?.students ?? [])
                            + (role == .student ? [] : expected?.instructors ?? []))
                    let found = try Self.all { last in
                        try RosterPerson.page(
                            ofClass: id, role: role, through: sharing, after: last, limit: 3, at: now,
                            in: transaction)
                    }
                    #expect(found == people.filter { members.contains($0.id) }, "\(rules)")
                }
            }
        }
    }

    /// All pages of a list, one after the other.
    private static func all<Record: Identified>(_ page: (Record.ID) throws -> [Record]) rethrows -> [Record] {
        var all: [Record] = []
        while true {
            let next = try page(all.last?.id ?? .none)
            if next.isEmpty { return all }
            all += next
        }
    }

    @Test("no rules, no other query: the filter adds nothing")
    func everything() {
        let sharing = SharingFilter.everything
        let added = [
            sharing.sharesPerson("p", at: "$1"), sharing.sharesRole("r", of: "p"), sharing.sharesClass("c"),
            sharing.sharesMember(as: .student, grade: "g"),
        ]
        #expect(added == ["", "", "", ""])
        #expect(sharing.column("p.email", of: .email) == "p.email")
    }
}

private protocol Identified {
    associatedtype ID: RecordID
    var id: ID { get }
}
extension RosterPerson: Identified {}
extension RosterClass: Identified {}

/// A roster that was read without rules, and what is left of it by the plain rules.
private struct PlainRoster {
    struct Member {
        let person: RosterPerson
        let subject: SharingRules.Subject
    }

    let people: [Member]
    let classes: [RosterClass]

    init(_ random: RandomSchool, in transaction: some Transaction) throws {
        let organization = random.school.organization.id
        let classes = try RosterClass.page(
            of: organization, through: .everything, after: .none, limit: 1_000, in: transaction)
        self.classes = classes
        people = try RosterPerson.page(
            of: organization, role: nil, through: .everything, after: .none, limit: 1_000,
            at: random.school.fixed.now, in: transaction
        ).map { person in
            let of = classes.filter { ($0.students + $0.instructors).contains(person.id) }
            return Member(
                person: person,
                subject: SharingRules.Subject(
                    id: person.id, grade: person.grade, roles: person.roles,
                    classes: of.map { SharingRules.ClassSubject(id: $0.id, location: $0.location) }))
        }
    }

    func subject(_ value: RosterClass) -> SharingRules.ClassSubject {
        SharingRules.ClassSubject(id: value.id, location: value.location)
    }

    func seen(_ member: Member, through rules: SharingRules, at changed: Date) -> RosterPerson {
        let person = member.person
        return RosterPerson(
            id: person.id, email: rules.shares(.email) ? person.email : nil,
            givenName: rules.shares(.givenName) ? person.givenName : "",
            middleName: rules.shares(.middleName) ? person.middleName : nil,
            familyName: rules.shares(.familyName) ? person.familyName : "",
            grade: rules.shares(.grade) ? person.grade : nil,
            roles: person.roles.filter { rules.shares($0, of: member.subject) }, createdAt: person.createdAt,
            modifiedAt: changed)
    }

    func seen(_ value: RosterClass, through rules: SharingRules, at changed: Date) -> RosterClass {
        func members(_ ids: [PersonID], _ role: RosterRole) -> [PersonID] {
            ids.filter { id in
                guard let member = people.first(where: { $0.person.id == id }) else { return false }
                return rules.shares(member.subject) && rules.shares(memberAs: role, grade: member.person.grade)
            }
        }
        return RosterClass(
            id: value.id, name: value.name, displayName: rules.shares(.classDisplayName) ? value.displayName : nil,
            number: rules.shares(.classNumber) ? value.number : nil,
            room: rules.shares(.classRoom) ? value.room : nil, location: value.location,
            instructors: members(value.instructors, .instructor), students: members(value.students, .student),
            createdAt: value.createdAt, modifiedAt: changed)
    }
}
