import Administration
import AdministrationExamples
import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

/// What takes long to count in a large organization is counted by the server now and then, and not by who looks at a page.
@Suite struct KeptNumberTests {
    /// What the server does once a minute, as if the school were large.
    private static func count(_ scene: Scene, above atOnce: Int = 1) async throws {
        try await CountedRecords.countLarge(in: scene.database, above: atOnce)
        try await NumberKeeper.countLarge(in: scene.database, at: scene.school.fixed.now, above: atOnce)
    }

    private static func issue(to person: Person, _ scene: Scene) async throws {
        _ = try await scene.operator.perform(IssuePassword(person: PersonReference(person.id)), in: scene.maple)
    }

    private static func dates(_ scene: Scene, _ kind: DueDate.Kind) async throws -> [DueDate] {
        try await scene.operator.ask(ListDueDates(), in: scene.maple).dates.filter { $0.kind == kind }
    }

    @Test("temporary passwords and roles that end, until the next count", arguments: TestDatabase.available)
    func dates(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            func counts() async throws -> [[Int]] {
                [
                    try await Self.dates(scene, .passwordsEnd).map(\.count),
                    try await Self.dates(scene, .roleEnds).map(\.count),
                ]
            }
            func add(_ name: String) async throws {
                let person = try await scene.school.insertPerson(name)
                _ = try await scene.operator.perform(
                    AddRole(
                        person: PersonReference(person.id), role: .staff,
                        at: LocationReference("Maple District Main"), until: "2026-09-20"), in: scene.maple)
                try await Self.issue(to: person, scene)
            }
            try await add("a")
            #expect(try await counts() == [[1], [1]])
            // Nobody has counted yet, and nobody does as long as the school is not found to be large.
            try await NumberKeeper.countLarge(in: scene.database, at: scene.school.fixed.now, above: 1)
            try await add("b")
            #expect(try await counts() == [[2], [2]])
            try await Self.count(scene)
            try await add("c")
            #expect(try await counts() == [[2], [2]])
            scene.school.fixed.advance(by: NumberKeeper.maxAge - 1)
            try await Self.count(scene)
            #expect(try await counts() == [[2], [2]])
            scene.school.fixed.advance(by: 1)
            try await Self.count(scene)
            #expect(try await counts() == [[3], [3]])
            // The school is not large any more.
            scene.school.fixed.advance(by: NumberKeeper.maxAge)
            try await Self.count(scene, above: 100)
            try await add("d")
            #expect(try await counts() == [[4], [4]])
        }
    }

    @Test("what is due by a rule, which is counted anew with a change of the rule", arguments: TestDatabase.available)
    func retention(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            func due() async throws -> Int? {
                try await scene.operator.ask(ListRetention(), in: scene.maple).rules
                    .first { $0.kind == .leftPeople }?.due
            }
            func set(_ days: Int) async throws -> Int? {
                try await scene.operator.perform(SetRetention(kind: .leftPeople, days: days), in: scene.maple)
                    .answer.due
            }
            let (first, second) = (
                try await scene.school.insertPerson("a"), try await scene.school.insertPerson("b")
            )
            // They keep the school large.
            for name in ["c", "d"] { _ = try await scene.school.insertPerson(name) }
            try await Self.count(scene)
            try await scene.school.deactivate(first)
            scene.school.fixed.advance(by: 40 * 86_400)
            #expect(try await set(30) == 1)
            try await scene.school.deactivate(second)
            scene.school.fixed.advance(by: 40 * 86_400)
            #expect(try await due() == 1)
            #expect(try await set(20) == 2)
            #expect(try await due() == 2)
            _ = try await set(30)
            scene.school.fixed.advance(by: 86_400)
            _ = try await scene.operator.perform(
                ReactivatePerson(person: PersonReference(second.id)), in: scene.maple)
            #expect(try await due() == 2)
            try await Self.count(scene)
            #expect(try await due() == 1)
        }
    }

    @Test("whom the tickets of a realm sign in", arguments: TestDatabase.available)
    func realms(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            func people() async throws -> [Int] {
                try await scene.operator.ask(ListRealms(), in: scene.maple).realms.map(\.people)
            }
            func set(_ domain: String) async throws -> Int {
                try await scene.operator.perform(
                    SetRealm(realm: "AD.MAPLE.EXAMPLE", matching: .userName, domain: domain), in: scene.maple
                ).answer.people
            }
            try await Self.count(scene)
            #expect(try await set("maple.example") == 2)
            _ = try await scene.school.insertPerson("late")
            #expect(try await people() == [2])
            // A rule that nobody has counted by.
            #expect(try await set("nowhere.example") == 0)
            #expect(try await people() == [0])
            #expect(try await set("maple.example") == 3)
            _ = try await scene.school.insertPerson("later")
            scene.school.fixed.advance(by: NumberKeeper.maxAge)
            try await Self.count(scene)
            #expect(try await people() == [4])
        }
    }

    @Test(
        "how many classes a term has, if they are more than two thousand, and counting is no change of the term",
        arguments: TestDatabase.available)
    func terms(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            func add(classes: Int, to term: String) async throws {
                try await scene.database.write { transaction in
                    try transaction.execute(
                        """
                        WITH RECURSIVE numbered (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < $1)
                        INSERT INTO class (organization_id, source, name, term_id, created_at, modified_at)
                        SELECT organization_id, 'manual', 'Class', id, created_at, created_at FROM term, numbered
                        WHERE name = $2
                        """, [classes, term])
                }
            }
            func found(_ term: String) async throws -> TermRecord {
                let terms = try await scene.operator.ask(ListTerms(), in: scene.maple).terms
                return try #require(terms.first { $0.name == term })
            }
            for name in ["Large", "Small"] {
                _ = try await scene.operator.perform(
                    AddTerm(name: name, firstDay: "2026-08-17", lastDay: "2027-07-02"), in: scene.maple)
            }
            try await add(classes: 2_001, to: "Large")
            try await add(classes: 1, to: "Small")
            let version = try await found("Large").version
            #expect(try await found("Large").classes == 2_001)
            try await Self.count(scene)
            for name in ["Large", "Small"] { try await add(classes: 1, to: name) }
            #expect(try await found("Large").classes == 2_001)
            #expect(try await found("Small").classes == 2)
            #expect(try await Self.dates(scene, .termEnds).map(\.count).sorted() == [2, 2_001])
            scene.school.fixed.advance(by: NumberKeeper.maxAge)
            try await Self.count(scene)
            #expect(try await found("Large").classes == 2_002)
            #expect(try await found("Large").version == version)

            // What an earlier version of Lanyard has kept tells nothing of terms.
            try await scene.database.write {
                try $0.execute("UPDATE kept_numbers SET numbers = '{\"dates\":[],\"retention\":{},\"realms\":{}}'")
            }
            #expect(try await found("Large").classes == 2_002)

            let closed = try await scene.operator.perform(CloseTerm(term: TermReference("Large")), in: scene.maple)
            #expect(closed.answer.classes == 0)
            #expect(try await found("Large").classes == 0)
        }
    }

    @Test("dates at more than a hundred locations are not told apart by location", arguments: TestDatabase.available)
    func manyLocations(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let (organization, now) = (scene.school.organization.id, scene.school.fixed.now)
            func addLocations(_ numbers: ClosedRange<Int>) async throws {
                try await scene.database.write { transaction in
                    for number in numbers {
                        let place = try Location.insert(
                            in: organization, name: "Site \(number)", at: now, in: transaction)
                        let person = try Person.insert(
                            in: organization, givenName: "P", familyName: "Q",
                            userName: "p\(number)@maple.example", at: now, in: transaction)
                        try RoleAssignment(.student, at: place.id).insert(
                            for: person.id, of: organization, at: now, in: transaction)
                        try Credential.put(
                            "none", temporaryUntil: now.addingTimeInterval(86_400), for: person.id, at: now,
                            in: transaction)
                    }
                    try transaction.execute(
                        "UPDATE role_assignment SET ends_at = $1 WHERE role = 'student'",
                        [now.addingTimeInterval(86_400)])
                }
            }
            try await addLocations(1...99)
            #expect(try await Self.dates(scene, .passwordsEnd).count == 99)
            #expect(try await Self.dates(scene, .roleEnds).contains { $0.location == "Site 7" })
            try await addLocations(100...101)
            let passwords = try await Self.dates(scene, .passwordsEnd)
            #expect(passwords.map(\.count) == [101] && passwords.map(\.location) == [nil])
            let roles = try await Self.dates(scene, .roleEnds)
            #expect(roles.map(\.count) == [102] && roles.map(\.location) == [nil])
        }
    }

    @Test("how many people sign in to an app, and how many of an organization", arguments: TestDatabase.available)
    func signIns(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let app = try await scene.insertApp()
            let id = app.app.id
            let oak = try await School.insert(in: scene.database, scene.school.fixed, name: "Oak")
            let elsewhere = try await oak.insertPerson("oak")
            func counts(atOnce: Int = 1) async throws -> [Int] {
                let organization = scene.school.organization.id
                return try await scene.database.read { transaction in
                    [
                        try CountedSignIns.count(of: id, atOnce: atOnce, transaction),
                        try CountedSignIns.count(of: id, in: organization, atOnce: atOnce, transaction),
                    ]
                }
            }
            func count() async throws {
                try await CountedSignIns.countLarge(in: scene.database, at: scene.school.fixed.now, above: 1)
            }
            for person in [scene.pupil, elsewhere] { try await scene.signIn(person, to: app) }
            // Nobody has counted yet.
            #expect(try await counts() == [2, 1])
            try await count()
            try await scene.signIn(try await scene.school.insertPerson("a"), to: app)
            #expect(try await counts() == [2, 1])
            #expect(try await counts(atOnce: 10) == [3, 2])
            scene.school.fixed.advance(by: CountedSignIns.maxAge - 1)
            try await count()
            #expect(try await counts() == [2, 1])
            scene.school.fixed.advance(by: 1)
            try await count()
            #expect(try await counts() == [3, 2])
        }
    }
}
