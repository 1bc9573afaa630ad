import Administration
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct UndoTests {
    @Test(
        "a change is taken back once, as long as nobody has changed the person again", arguments: TestDatabase.available
    )
    func undoes(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let pupil = PersonReference(scene.pupil.id)
            let before = try await scene.operator.ask(ShowPerson(person: pupil))
            let done = try await scene.operator.perform(AddRole(person: pupil, role: .staff, at: nil))
            let number = try #require(done.change)
            let effects = try await scene.operator.undo(number)
            #expect(effects.map(\.detail) == ["role staff at the organization removed"])
            let after = try await scene.operator.ask(ShowPerson(person: pupil))
            #expect(after.version == before.version && after.roles == before.roles)
            await #expect(throws: OperationError.refused("Change \(number) is undone already.")) {
                try await scene.operator.undo(number)
            }
        }
    }

    @Test("a change on which another was built is not taken back")
    func stale() async throws {
        try await Scene.with(.sqlite) { scene in
            let pupil = PersonReference(scene.pupil.id)
            let first = try #require(
                try await scene.operator.perform(AddRole(person: pupil, role: .staff, at: nil)).change)
            _ = try await scene.operator.perform(AddRole(person: pupil, role: .instructor, at: nil))
            let before = try await scene.state()
            await #expect(throws: OperationError.self) { try await scene.operator.undo(first) }
            #expect(try await scene.state() == before)
        }
    }

    @Test("undoing needs the privilege, as if one asked for it oneself")
    func privileges() async throws {
        try await Scene.with(.sqlite) { scene in
            let pupil = PersonReference(scene.pupil.id)
            let number = try #require(try await scene.operator.perform(DeactivatePerson(person: pupil)).change)
            let teacher = try await scene.holder(of: .instructor, at: nil)
            await #expect(throws: OperationError.forbidden(.managePeople)) {
                try await scene.administrator(.person(teacher.id)).undo(number)
            }
            let manager = try await scene.holder(of: .manager, at: nil)
            _ = try await scene.administrator(.person(manager.id)).undo(number)
            #expect(try await scene.operator.ask(ShowPerson(person: pupil)).state == .new)
        }
    }

    @Test("two who undo the same change at the same moment: one gets it", arguments: TestDatabase.available)
    func twice(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let pupil = PersonReference(scene.pupil.id)
            let number = try #require(try await scene.operator.perform(DeactivatePerson(person: pupil)).change)
            let results = await withTaskGroup(of: Bool.self, returning: [Bool].self) { group in
                for _ in 0..<4 {
                    group.addTask { (try? await scene.operator.undo(number)) != nil }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.filter { $0 }.count == 1)
        }
    }
}
