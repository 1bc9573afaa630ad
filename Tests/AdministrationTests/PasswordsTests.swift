import Administration
import AdministrationExamples
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

/// Passwords for many people at once.
@Suite struct PasswordsTests {
    private static let main = LocationReference("Maple District Main")

    @Test(
        "everybody without a password gets one that signs them in, of the kind that they are to have",
        arguments: TestDatabase.available)
    func issue(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let school = scene.school
            let young = try await school.insertPerson("young", .student, passwordPolicy: .fourDigits)
            let settled = try await school.insertPerson("settled", .student)
            try await school.setPassword(of: settled, to: "maple-leaf-8")
            let gone = try await school.insertPerson("gone", .student)
            try await school.deactivate(gone)
            _ = try await school.insertClass("Grade 10 A", students: [scene.pupil])
            _ = try await school.insertClass("Grade 4 B", students: [young, settled, gone])

            let issued = try await scene.operator.perform(IssuePasswords(at: Self.main, role: .student)).answer
            #expect(issued.people.map(\.userName) == [young.userName, scene.pupil.userName])
            #expect(issued.people.map(\.class) == ["Grade 4 B", "Grade 10 A"])
            #expect(issued.people.allSatisfy { $0.school == "Maple District Main" })
            #expect(issued.keptTheirs == 1 && issued.leftOut.isEmpty)
            #expect(issued.validUntil == school.fixed.now.addingTimeInterval(90 * 86_400))
            #expect(issued.people[0].password.wholeMatch(of: /[0-9]{4}/) != nil)
            #expect(issued.people[1].password.wholeMatch(of: /[a-z]{4}-[a-z]{4}-[2-9]{4}/) != nil)
            for one in issued.people { try await Self.expectPassword(one, in: scene) }
            try await Self.expectPassword(settled, "maple-leaf-8", in: scene)

            let again = try await scene.operator.perform(IssuePasswords(at: Self.main, role: .student))
            #expect(again.answer.people.isEmpty && again.answer.keptTheirs == 3 && again.effects.isEmpty)
        }
    }

    @Test("those who have a password get a new one when it is asked for, but not whoever asks")
    func replace() async throws {
        try await Scene.with(.sqlite) { scene in
            let holder = try await scene.holder(of: .administrator, at: nil)
            for person in [holder, scene.pupil] { try await scene.school.setPassword(of: person, to: "maple-leaf-8") }
            let before = try await Self.signInVersion(of: scene.pupil, in: scene)
            let issued = try await scene.administrator(.person(holder.id)).perform(IssuePasswords(all: true)).answer
            #expect(issued.people.map(\.firstName).sorted() == ["head", "pupil"])
            for one in issued.people { try await Self.expectPassword(one, in: scene) }
            try await Self.expectPassword(holder, "maple-leaf-8", in: scene)
            #expect(try await Self.signInVersion(of: scene.pupil, in: scene) != before)
        }
    }

    @Test("a teacher gets the passwords of the own pupils, and of nobody else in the class")
    func teacher() async throws {
        try await Scene.with(.sqlite) { scene in
            let teacher = try await scene.holder(of: .instructor, at: scene.school.location.id)
            let colleague = try await scene.school.insertPerson("colleague", .instructor)
            let other = try await scene.school.insertPerson("other", .student)
            _ = try await scene.school.insertClass(
                "Together", instructors: [teacher, colleague], students: [scene.pupil])
            _ = try await scene.school.insertClass("Elsewhere", instructors: [colleague], students: [other])
            let administrator = scene.administrator(.person(teacher.id))
            let issued = try await administrator.perform(IssuePasswords(class: ClassReference("Together"))).answer
            #expect(issued.people.map(\.userName) == [scene.pupil.userName])
            let all = try await administrator.perform(IssuePasswords(at: Self.main, all: true)).answer
            #expect(all.people.map(\.userName) == [scene.pupil.userName])
            await #expect(throws: OperationError.forbidden(.issuePasswords)) {
                try await administrator.perform(IssuePasswords(class: ClassReference("Elsewhere")))
            }
        }
    }

    @Test("whoever has changed while passwords were made gets none, and is reported", arguments: TestDatabase.available)
    func meanwhile(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let school = scene.school
            let names = ["deactivated", "password", "roles", "left", "unchanged"]
            var people: [String: Person] = [:]
            for name in names {
                people[name] = try await school.insertPerson(
                    name, .student, passwordPolicy: name == "roles" ? .fourDigits : nil)
            }
            let newcomer = try await school.insertPerson("joined", .student)
            let members = names.compactMap { people[$0] }
            let art = try await school.insertClass("Art", students: members)
            let found = people
            // It is told of progress when the passwords are made, and before they are given.
            let administrator = Administrator(
                .operator, from: .system, database: scene.database, services: scene.services,
                progress: { done, total in
                    guard done == total else { return }
                    do {
                        try await school.deactivate(#require(found["deactivated"]))
                        try await school.setPassword(of: #require(found["password"]), to: "maple-leaf-8")
                        try await school.assign(.staff, at: nil, to: #require(found["roles"]))
                        let left = try #require(found["left"]).id
                        try await scene.database.write { transaction in
                            try transaction.execute("DELETE FROM class_student WHERE person_id = $1", [left])
                            try transaction.execute(
                                "INSERT INTO class_student (class_id, person_id) VALUES ($1, $2)", [art, newcomer.id])
                        }
                    } catch {
                        Issue.record(error)
                    }
                })
            let done = try await administrator.perform(IssuePasswords(class: ClassReference("Art")))
            #expect(done.answer.people.map(\.firstName) == ["unchanged"])
            #expect(
                Set(done.answer.leftOut.map { "\($0.userName) \($0.reason.rawValue)" })
                    == Set((names.dropLast() + ["joined"]).map { "\($0)@maple.example \($0)" }))
            #expect(done.effects.map(\.name) == ["unchanged Okoye"])
            try await Self.expectPassword(#require(people["password"]), "maple-leaf-8", in: scene)
            let without = try await scene.database.read { transaction in
                try ["deactivated", "roles", "left"].filter {
                    try Credential.find(for: try #require(found[$0]).id, in: transaction) == nil
                }
            }
            #expect(without == ["deactivated", "roles", "left"])
        }
    }

    @Test(
        "of several who ask at once, each person gets one password, which is valid",
        arguments: TestDatabase.available, [false, true])
    func atOnce(_ kind: TestDatabase, _ replaces: Bool) async throws {
        try await Scene.with(kind) { scene in
            for index in 0..<24 { _ = try await scene.school.insertPerson("pupil\(index)", .student) }
            // All four have made their passwords before the first gives one.
            let gathering = Gathering(of: 4)
            let answers = await concurrently(0..<4) { _ in
                let administrator = Administrator(
                    .operator, from: .system, database: scene.database, services: scene.services,
                    progress: { done, total in if done == total { await gathering.arrive() } })
                return try? await administrator.perform(IssuePasswords(role: .student, all: replaces)).answer
            }.compactMap(\.self)
            #expect(answers.map(\.people.count).sorted() == [0, 0, 0, 25])
            #expect(answers.map(\.leftOut.count).sorted() == [0, 25, 25, 25])
            let given = answers.flatMap(\.people)
            var valid: [String: Int] = [:]
            for one in given where try await Self.isPassword(one.password, of: one.userName, in: scene) {
                valid[one.userName, default: 0] += 1
            }
            #expect(valid.count == 25 && valid.values.allSatisfy { $0 == 1 })
        }
    }

    @Test("ten thousand people get passwords in one change, and more are refused", arguments: TestDatabase.available)
    func many(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let (organization, location, now) = (
                scene.school.organization.id, scene.school.location.id, scene.school.fixed.now
            )
            try await scene.database.write { transaction in
                for index in 0..<9_999 {
                    let person = try Person.insert(
                        in: organization, givenName: "Pupil", familyName: "N\(index)",
                        userName: "n\(index)@maple.example", at: now, in: transaction)
                    try RoleAssignment(.student, at: location).insert(
                        for: person.id, of: organization, at: now, in: transaction)
                }
            }
            // With the head there are 10 001.
            let trail = try await scene.trail().count
            await #expect(throws: OperationError.self) { try await scene.operator.perform(IssuePasswords()) }
            #expect(try await scene.trail().count == trail)
            let issued = try await scene.operator.perform(IssuePasswords(role: .student)).answer
            #expect(issued.people.count == 10_000 && Set(issued.people.map(\.userName)).count == 10_000)
            #expect(try await scene.trail().count == trail + 10_000)
            for one in issued.people.prefix(3) { try await Self.expectPassword(one, in: scene) }
        }
    }

    @Test("what is cancelled while passwords are made gives none", arguments: TestDatabase.available)
    func cancelled(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            for index in 0..<20 { _ = try await scene.school.insertPerson("pupil\(index)", .student) }
            let (before, trail) = (try await scene.state(), try await scene.trail())
            let administrator = Administrator(
                .operator, from: .system, database: scene.database, services: scene.services,
                progress: { done, _ in
                    if done == 10 { withUnsafeCurrentTask { $0?.cancel() } }
                })
            await #expect(throws: CancellationError.self) {
                try await Task { try await administrator.perform(IssuePasswords(role: .student)) }.value
            }
            #expect(try await scene.state() == before)
            #expect(try await scene.trail() == trail)
        }
    }

    // MARK: What there is

    private static func signInVersion(of person: Person, in scene: Scene) async throws -> String {
        try await scene.database.read { "\(String(describing: try Person.find(person.id, in: $0)?.signInVersion))" }
    }

    private static func expectPassword(_ one: IssuedPasswords.Entry, in scene: Scene) async throws {
        #expect(try await isPassword(one.password, of: one.userName, in: scene), "\(one.userName)")
    }

    private static func expectPassword(_ person: Person, _ password: String, in scene: Scene) async throws {
        #expect(try await isPassword(password, of: person.userName, in: scene), "\(person.userName)")
    }

    private static func isPassword(_ password: String, of userName: String, in scene: Scene) async throws -> Bool {
        let hash = try await scene.database.read { transaction in
            try Person.find(userName: userName, in: transaction).flatMap {
                try Credential.find(for: $0.id, in: transaction)?.passwordHash
            }
        }
        return try await scene.school.passwordHasher.verify(password, against: hash)
    }
}
