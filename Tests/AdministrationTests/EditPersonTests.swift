import Administration
import AdministrationExamples
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct EditPersonTests {
    @Test("only what is given changes, and undoing puts back exactly what was there", arguments: TestDatabase.available)
    func correctsAndUndoes(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let pupil = PersonReference(scene.pupil.id)
            _ = try await scene.operator.perform(EditPerson(person: pupil, middleName: "Maria", grade: "3"))
            let before = try await scene.operator.ask(ShowPerson(person: pupil))

            let done = try await scene.operator.perform(
                EditPerson(
                    person: pupil, lastName: " Nu\u{301}n\u{303}ez ", email: "p@maple.example", personID: "S-1",
                    passwordPolicy: .fourDigits, clear: [.middleName]))
            let after = done.answer.person
            #expect(done.answer.changed == [.middleName, .lastName, .email, .personID, .passwordPolicy])
            #expect(done.answer.notice == nil)
            // Trimmed, and in Unicode's composed form.
            #expect(after.lastName.unicodeScalars.elementsEqual("Núñez".unicodeScalars))
            #expect(after.firstName == before.firstName && after.middleName == nil && after.grade == "3")
            #expect(after.email == "p@maple.example" && after.personID == "S-1" && after.passwordPolicy == .fourDigits)
            #expect(after.source == .manual && after.version != before.version)
            #expect(
                done.effects.map(\.detail) == [
                    "middle name, last name, email address, person id, password policy corrected"
                ])
            #expect(try await scene.trail().last?.contains("Núñez") == false)

            _ = try await scene.operator.undo(try #require(done.change))
            #expect(try await scene.operator.ask(ShowPerson(person: pupil)).version == before.version)
            let stored = try await scene.person().details
            #expect(stored.middleName == "Maria" && stored.email == nil && stored.passwordPolicy == nil)
        }
    }

    @Test("what is so already is no change: nothing is recorded, and nothing can be undone")
    func nothingToDo() async throws {
        try await Scene.with(.sqlite) { scene in
            let (state, trail) = (try await scene.state(), try await scene.trail())
            let done = try await scene.operator.perform(
                EditPerson(
                    person: PersonReference(scene.pupil.id), firstName: scene.pupil.givenName, clear: [.grade]))
            #expect(done.answer.changed.isEmpty && done.change == nil && done.effects.isEmpty)
            #expect(try await scene.state() == state)
            #expect(try await scene.trail() == trail)
        }
    }

    @Test(
        "what cannot be is refused and changes nothing",
        arguments: [
            (EditPerson(person: pupil), "correction"),
            (EditPerson(person: pupil, firstName: "Ana", lastName: " "), "last name"),
            (EditPerson(person: pupil, firstName: "Ana", email: "nowhere"), "email address"),
            (EditPerson(person: pupil, email: ""), "email address"),
            (EditPerson(person: pupil, grade: "3", clear: [.grade]), "grade"),
            (EditPerson(person: pupil, passwordPolicy: .standard, clear: [.passwordPolicy]), "password policy"),
            (EditPerson(person: pupil, personID: "a:b"), "person id"),
            (EditPerson(person: pupil, firstName: "A\u{0007}na"), "first name"),
            (EditPerson(person: pupil, firstName: "A\u{202E}na"), "first name"),
            (EditPerson(person: pupil, firstName: String(repeating: "漢", count: 342)), "first name"),
        ] as [(EditPerson, String)])
    func refuses(_ edit: EditPerson, _ field: String) async throws {
        try await Scene.with(.sqlite) { scene in
            let (state, trail) = (try await scene.state(), try await scene.trail())
            let error = await #expect(throws: (any Error).self) { try await scene.operator.perform(edit) }
            let failure = try #require(error.flatMap { OperationFailure($0) })
            #expect(failure.kind == .invalid && failure.field == field)
            #expect(try await scene.state() == state)
            #expect(try await scene.trail() == trail)
        }
    }

    private static let pupil = PersonReference("pupil@maple.example")

    @Test(
        "names of any script and length up to the limit come back as they went in",
        arguments: [
            String(repeating: "x", count: 500), String(repeating: "ж", count: 500), String(repeating: "漢", count: 341),
            String(repeating: "한", count: 341), String(repeating: "ا", count: 500), "=1+1", "@SUM(B:B)", "-2",
            "O’Brien",
            "🦄 Einhorn", "𠮷田",
        ], TestDatabase.available)
    func names(_ name: String, _ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let pupil = PersonReference(scene.pupil.id)
            let done = try await scene.operator.perform(EditPerson(person: pupil, firstName: name, middleName: name))
            #expect(done.answer.person.firstName == name && done.answer.person.middleName == name)
        }
    }

    @Test("a person id belongs to one person of the organization", arguments: TestDatabase.available)
    func personIDs(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let other = try await scene.school.insertPerson("other", .student)
            _ = try await scene.operator.perform(EditPerson(person: PersonReference(other.id), personID: "S-1"))
            let edit = EditPerson(person: PersonReference(scene.pupil.id), lastName: "New", personID: "S-1")
            await #expect(throws: DirectoryError.personIDTaken("S-1")) { try await scene.operator.perform(edit) }
            #expect(try await scene.person() == scene.pupil)
            // Their own is not taken.
            _ = try await scene.operator.perform(
                EditPerson(person: PersonReference(other.id), lastName: "New", personID: "S-1"))
        }
    }

    @Test("of two who give the same person id at once, one gets it", arguments: TestDatabase.available)
    func twice(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let people = [scene.pupil, try await scene.school.insertPerson("other", .student)]
            let given = await withTaskGroup(of: Bool.self, returning: Int.self) { group in
                for person in people {
                    group.addTask {
                        let edit = EditPerson(person: PersonReference(person.id), personID: "S-1")
                        return (try? await scene.operator.perform(edit)) != nil
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(given == 1)
        }
    }

    @Test("whoever has seen another version corrects nothing")
    func stale() async throws {
        try await Scene.with(.sqlite) { scene in
            let pupil = PersonReference(scene.pupil.id)
            let seen = try await scene.operator.ask(ShowPerson(person: pupil)).version
            let first = try await scene.operator.perform(
                EditPerson(person: pupil, lastName: "First"), in: .only, ifVersion: seen)
            let current = first.answer.version
            await #expect(throws: OperationError.stale(version: current)) {
                try await scene.operator.perform(
                    EditPerson(person: pupil, lastName: "Second"), in: .only, ifVersion: seen)
            }
            await #expect(throws: OperationError.stale(version: current)) {
                _ = try await scene.operator.perform(EditPerson(person: pupil, lastName: "Third"), ifVersion: seen)
            }
            #expect(try await scene.person().familyName == "First")
        }
    }

    @Test("of somebody whom an import keeps, the answer says what the next one does, and the person stays the import's")
    func imported() async throws {
        try await Scene.with(.sqlite) { scene in
            let pupil = PersonReference(scene.pupil.id)
            try await scene.database.write {
                try $0.execute("UPDATE person SET source = 'csv', source_id = 'S-1' WHERE id = $1", [scene.pupil.id])
            }
            let named = try await scene.operator.perform(EditPerson(person: pupil, lastName: "New"))
            #expect(named.answer.notice?.contains("the next one puts back what the school's files say") == true)
            #expect(named.answer.person.source == .csv)
            let numbered = try await scene.operator.perform(EditPerson(person: pupil, personID: "S-2"))
            #expect(numbered.answer.notice?.hasPrefix("Imports look for the person id S-2 from now on") == true)
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(EditPerson(person: pupil, clear: [.personID]))
            }
            #expect(try await scene.person().sourceID == "S-2")
        }
    }

    @Test("of a personal account the operator corrects the name alone, and of a deleted one nothing")
    func personal() async throws {
        try await Scene.with(.sqlite) { scene in
            let now = scene.school.fixed.now
            let owner = try await scene.database.write {
                try Person.insert(
                    in: nil, givenName: "Robin", familyName: "Vale", email: "r@quizzler.example",
                    userName: "r@quizzler.example", at: now, in: $0)
            }
            let reference = PersonReference(owner.id)
            _ = try await scene.operator.perform(EditPerson(person: reference, firstName: "Robyn"))
            for edit in [
                EditPerson(person: reference, email: "x@quizzler.example"), EditPerson(person: reference, grade: "3"),
                EditPerson(person: reference, personID: "S-1"),
            ] {
                await #expect(throws: OperationError.self) { try await scene.operator.perform(edit) }
            }
            try await scene.database.write { try owner.erase(at: now, in: $0) }
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(EditPerson(person: reference, firstName: "Robin"))
            }
        }
    }
}

extension Scene {
    /// The pupil's record as it is now.
    func person() async throws -> Person {
        let id = pupil.id
        return try #require(try await database.read { try Person.find(id, in: $0) })
    }
}
