import Administration
import AdministrationExamples
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct RenamePersonTests {
    private let day: TimeInterval = 86_400

    @Test("the person is found by both names, and the record says for how long", arguments: TestDatabase.available)
    func renames(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let before = try await scene.operator.ask(ShowPerson(person: Self.former))
            let done = try await scene.operator.perform(
                RenamePerson(person: Self.former, userName: "New@Maple.example"))
            let record = done.answer
            #expect(record.userName == "new@maple.example" && record.number == before.number)
            let kept = try #require(record.formerUserNames)
            #expect(kept.map(\.userName) == ["pupil@maple.example"])
            #expect(kept.map(\.keptUntil) == [scene.school.fixed.now.addingTimeInterval(90 * day)])
            for name in ["new@maple.example", "pupil@maple.example", "PUPIL@maple.example"] {
                #expect(try await scene.operator.ask(ShowPerson(person: PersonReference(name))) == record)
            }

            _ = try await scene.operator.undo(try #require(done.change))
            let after = try await scene.operator.ask(ShowPerson(person: Self.former))
            #expect(after.version == before.version && after.formerUserNames == nil)
            // The name that was taken back is free at once.
            _ = try await scene.school.insertPerson("new")
        }
    }

    private static let former = PersonReference("pupil@maple.example")

    @Test("nobody else gets the former name, however they come to it", arguments: TestDatabase.available)
    func keepsFormerName(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            _ = try await scene.operator.perform(RenamePerson(person: Self.former, userName: "new@maple.example"))
            let taken = DirectoryError.userNameTaken("pupil@maple.example")
            await #expect(throws: taken) { _ = try await scene.school.insertPerson("pupil") }
            await #expect(throws: taken) {
                try await scene.operator.perform(
                    RenamePerson(person: PersonReference("head@maple.example"), userName: "Pupil@maple.example"))
            }
            let owner = try await scene.insertPersonal("r@quizzler.example")
            let now = scene.school.fixed.now
            await #expect(throws: taken) {
                try await scene.database.write { try owner.changeEmail(to: "pupil@maple.example", at: now, in: $0) }
            }
            // Whose name it was gets it back, and the newer one is kept now.
            let back = try await scene.operator.perform(
                RenamePerson(person: Self.former, userName: "pupil@maple.example"))
            #expect(back.answer.formerUserNames?.map(\.userName) == ["new@maple.example"])
            // Undoing that keeps the older one for as long as before.
            _ = try await scene.operator.undo(try #require(back.change))
            let record = try await scene.operator.ask(ShowPerson(person: Self.former))
            #expect(record.userName == "new@maple.example")
            #expect(record.formerUserNames?.map(\.keptUntil) == [now.addingTimeInterval(90 * day)])
        }
    }

    @Test("a format's user name is numbered where the name is kept for somebody else")
    func numbersAddedPeople() async throws {
        try await Scene.with(.sqlite) { scene in
            let add = AddPerson(firstName: "Ana", lastName: "Ruiz")
            let first = try await scene.operator.perform(add).answer
            _ = try await scene.operator.perform(
                RenamePerson(person: PersonReference(first.userName), userName: "new@maple.example"))
            let second = try await scene.operator.perform(add).answer
            #expect(second.userName != first.userName)
            #expect(second.userName.contains("2"))
        }
    }

    @Test("after its time the name is anybody's, and is tidied away", arguments: TestDatabase.available)
    func expires(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let done = try await scene.operator.perform(
                RenamePerson(person: Self.former, userName: "new@maple.example", keepDays: 2))
            let number = done.answer.number
            let later = scene.school.fixed.now.addingTimeInterval(2 * day)
            let earlier = later.addingTimeInterval(-1)
            try await scene.database.write { transaction in
                #expect(try FormerUserName.find("pupil@maple.example", at: earlier, in: transaction) != nil)
                #expect(try !FormerUserName.hasExpired(at: earlier, in: transaction))
                #expect(try FormerUserName.find("pupil@maple.example", at: later, in: transaction) == nil)
                // Nobody waits for the tidying.
                #expect(try !Person.isTaken(userName: "pupil@maple.example", at: later, in: transaction))
                #expect(try FormerUserName.hasExpired(at: later, in: transaction))
                try FormerUserName.deleteExpired(at: later, in: transaction)
                #expect(try FormerUserName.list(of: PersonID(rawValue: number), in: transaction).isEmpty)
            }
        }
    }

    @Test("with 0 days the former name is free at once")
    func keepsNothing() async throws {
        try await Scene.with(.sqlite) { scene in
            let done = try await scene.operator.perform(
                RenamePerson(person: Self.former, userName: "new@maple.example", keepDays: 0))
            #expect(done.answer.formerUserNames == nil)
            _ = try await scene.school.insertPerson("pupil")
            // Then it cannot be given back any more.
            await #expect(throws: DirectoryError.userNameTaken("pupil@maple.example")) {
                try await scene.operator.undo(try #require(done.change))
            }
        }
    }

    @Test(
        "what cannot be is refused and changes nothing",
        arguments: [
            RenamePerson(person: former, userName: ""), RenamePerson(person: former, userName: "two words"),
            RenamePerson(person: former, userName: "a\u{200D}b"),
            RenamePerson(person: former, userName: "head@maple.example"),
            RenamePerson(person: former, userName: "PUPIL@maple.example"),
            RenamePerson(person: former, userName: "x@elm.example"),
            RenamePerson(person: former, userName: String(repeating: "한", count: 43)),
            RenamePerson(person: former, userName: "new", keepDays: -1),
            RenamePerson(person: former, userName: "new", keepDays: 3_651),
            RenamePerson(person: PersonReference("r@quizzler.example"), userName: "new@quizzler.example"),
        ])
    func refuses(_ rename: RenamePerson) async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.insertPersonal("r@quizzler.example")
            let elm = try await School.insert(in: scene.database, scene.school.fixed, name: "Elm")
            let now = scene.school.fixed.now
            try await scene.database.write {
                try Domain.put("elm.example", verifiedAt: now, of: elm.organization.id, at: now, in: $0)
            }
            let (state, trail) = (try await scene.state(), try await scene.trail())
            let error = await #expect(throws: (any Error).self) { try await scene.operator.perform(rename) }
            #expect(error.flatMap { OperationFailure($0) } != nil)
            #expect(try await scene.state() == state)
            #expect(try await scene.trail() == trail)
        }
    }

    @Test("of two who give the same name at once, one gets it", arguments: TestDatabase.available)
    func twice(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let given = await withTaskGroup(of: Bool.self, returning: Int.self) { group in
                for name in ["pupil@maple.example", "head@maple.example"] {
                    group.addTask {
                        let rename = RenamePerson(person: PersonReference(name), userName: "new@maple.example")
                        return (try? await scene.operator.perform(rename)) != nil
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(given == 1)
        }
    }

    @Test("a text that is a former name of one and the person id of another is not guessed")
    func ambiguous() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.operator.perform(RenamePerson(person: Self.former, userName: "new@maple.example"))
            let other = try await scene.school.insertPerson("other", .student)
            _ = try await scene.operator.perform(
                EditPerson(person: PersonReference(other.id), personID: "pupil@maple.example"))
            await #expect(throws: OperationError.self) { try await scene.operator.ask(ShowPerson(person: Self.former)) }
        }
    }

    @Test("a former name of another organization's finds nobody")
    func strangers() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.operator.perform(RenamePerson(person: Self.former, userName: "new@maple.example"))
            let elm = try await School.insert(in: scene.database, scene.school.fixed, name: "Elm")
            let stranger = try await elm.insertPerson("stranger", .administrator)
            await #expect(throws: OperationError.notFound(.person, "pupil@maple.example", in: "Elm")) {
                try await scene.administrator(.person(stranger.id)).ask(ShowPerson(person: Self.former))
            }
        }
    }
}

extension Scene {
    func insertPersonal(_ email: String) async throws -> Person {
        let now = school.fixed.now
        return try await database.write {
            try Person.insert(
                in: nil, givenName: "Robin", familyName: "Vale", email: email, userName: email, at: now, in: $0)
        }
    }
}
