import Administration
import AdministrationExamples
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

/// Refusals name nobody of whom the caller may not know.
@Suite struct NameSecrecyTests {
    /// What a Manager of the annex may do, who reads nobody at the other place.
    private static func manager(_ scene: Scene) async throws -> Administrator {
        scene.administrator(.person(try await scene.holder(of: .manager, at: scene.annex.id).id))
    }

    @Test(
        "whoever takes people out of a class who are not in it learns nobody’s name", arguments: TestDatabase.available)
    func removedStudents(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let manager = try await Self.manager(scene)
            let own = try await scene.school.insertPerson("own", .student, at: scene.annex.id)
            _ = try await manager.perform(AddClass(name: "Choir", at: LocationReference("Annex")))
            var edit = EditClass(class: ClassReference("Choir"))
            edit.removeStudents = [PersonReference(scene.pupil.id)]
            let trail = try await scene.trail()
            await #expect(throws: OperationError.forbidden(.readPeople)) { try await manager.perform(edit) }
            let news = try await scene.news(since: trail)
            #expect(news.count == 1 && news[0].hasSuffix("refused class.edit needs people.read"), "\(news)")
            // Whom they may read they are told of.
            edit.removeStudents = [PersonReference(own.id)]
            await #expect(throws: OperationError.refused("\(own.fullName) is not in Choir.")) {
                try await manager.perform(edit)
            }
        }
    }

    @Test("in many at once no name is told either, and the refusals stand in the trail")
    func bulk() async throws {
        try await Scene.with(.sqlite) { scene in
            let manager = try await Self.manager(scene)
            _ = try await manager.perform(AddClass(name: "Choir", at: LocationReference("Annex")))
            let items = (0..<3).map { _ in
                var edit = EditClass(class: ClassReference("Choir"))
                edit.removeStudents = [PersonReference(scene.pupil.id)]
                return edit
            }
            let trail = try await scene.trail()
            let done = try await manager.perform(Bulk(items: items, mode: .each))
            #expect(done.answer.failed == 3)
            #expect(done.answer.items.allSatisfy { $0.failure?.kind == .forbidden })
            #expect(done.answer.items.allSatisfy { $0.failure?.detail.contains(scene.pupil.familyName) == false })
            await #expect(throws: OperationError.self) { try await manager.perform(Bulk(items: items, mode: .all)) }
            let news = try await scene.news(since: trail)
            #expect(
                news.count == 2
                    && news.allSatisfy { $0.hasSuffix("refused class.edit.bulk is not allowed for 3 of its items") },
                "\(news)")
        }
    }

    @Test("that a person id is taken is told without the name of whoever has it elsewhere")
    func takenPersonID() async throws {
        try await Scene.with(.sqlite) { scene in
            let manager = try await Self.manager(scene)
            let own = try await scene.school.insertPerson("own", .student, at: scene.annex.id)
            for (person, id, name) in [(scene.pupil, "4711", "Somebody"), (own, "4712", own.fullName)] {
                _ = try await scene.operator.perform(EditPerson(person: PersonReference(person.id), personID: id))
                await #expect(
                    throws: OperationError.refused("\(name) has the person id “\(id)” already. Give another.")
                ) {
                    try await manager.perform(
                        AddPerson(
                            firstName: "New", lastName: "Pupil", userName: "new@maple.example", personID: id,
                            role: .student, at: LocationReference("Annex")))
                }
            }
        }
    }

    @Test("of several who are meant, those are named whom the caller may read")
    func ambiguous() async throws {
        try await Scene.with(.sqlite) { scene in
            let manager = try await Self.manager(scene)
            let own = try await scene.school.insertPerson("own", .student, at: scene.annex.id)
            let number = "\(scene.pupil.id.rawValue)"
            _ = try await scene.operator.perform(EditPerson(person: PersonReference(own.id), personID: number))
            func ask(_ administrator: Administrator) async throws {
                _ = try await administrator.ask(ShowPerson(person: PersonReference(number)))
            }
            await #expect(throws: OperationError.ambiguous(.person, number, [own.userName])) { try await ask(manager) }
            await #expect(throws: OperationError.ambiguous(.person, number, [own.userName, scene.pupil.userName])) {
                try await ask(scene.operator)
            }
            let text = OperationError.ambiguous(.person, number, []).description
            #expect(text == "“\(number)” means several people; name the one you mean in another way.")
        }
    }

    @Test("that a record was merged into another is told to whoever may do something with it")
    func merged() async throws {
        try await Scene.with(.sqlite) { scene in
            let kept = try await scene.school.insertPerson("kept", .student)
            let pupil = PersonReference(scene.pupil.id)
            let version = try await scene.operator.preview(
                MergePeople(person: PersonReference(kept.id), other: pupil)
            ).version
            _ = try await scene.operator.perform(
                MergePeople(person: PersonReference(kept.id), other: pupil), ifVersion: version)
            let elsewhere = scene.administrator(
                .person(try await scene.holder(of: .siteManager, at: scene.annex.id).id))
            await #expect(throws: OperationError.forbidden(.erasePeople)) {
                try await elsewhere.preview(ErasePerson(person: pupil))
            }
            await #expect(throws: OperationError.forbidden(.readAudit)) {
                try await elsewhere.ask(DescribePerson(person: pupil))
            }
            await #expect(
                throws: OperationError.refused(
                    "\(scene.pupil.fullName) (\(scene.pupil.userName)) was merged into PE-\(kept.id.rawValue). "
                        + "Ask for that record.")
            ) {
                try await scene.operator.ask(DescribePerson(person: pupil))
            }
        }
    }
}
