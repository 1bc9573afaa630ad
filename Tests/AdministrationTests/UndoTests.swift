import Administration
import AdministrationExamples
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

    @Test("what somebody has set anew is not taken back by the change before", arguments: TestDatabase.available)
    func overwritten(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            try await Self.check(
                SetRetention(kind: .leftPeople, days: 730), then: SetRetention(kind: .leftPeople, days: 365), in: scene)
            #expect(try await scene.operator.ask(ListRetention(), in: scene.maple).rules.allSatisfy { $0.days == nil })
            try await Self.check(SetPickUp(hour: 2), then: SetPickUp(hour: 5), in: scene)
            let school = LocationReference(scene.school.location.id)
            try await Self.check(
                SetPickUp(school: school, hour: 2), then: SetPickUp(school: school, hour: 5), in: scene)
            #expect(try await scene.operator.ask(ListPickUps(), in: scene.maple).pickUps.isEmpty)

            let made = try await scene.operator.perform(SetPickUp(hour: 2), in: scene.maple).answer
            try await Self.check(RemovePickUp(pickUp: made.pickUp), then: SetPickUp(hour: 7), in: scene)
            #expect(try await scene.operator.ask(ListPickUps(), in: scene.maple).pickUps.map(\.hour) == [2])
        }
    }

    @Test("a domain that was verified, and an app that was offered to another team, are not taken back either")
    func overtaken() async throws {
        try await Scene.with(.sqlite) { scene in
            try await Self.check(
                AddDomain(domain: "pupils.maple.example"), then: VerifyDomain(domain: "pupils.maple.example"), in: scene
            )
            _ = try await scene.school.insertApp()
            try await scene.makeRival()
            let third = try await scene.operator.perform(AddTeam(name: "Third Inc.")).answer
            try await Self.check(
                OfferApp(app: Example.quizzler, team: try await scene.rivalID()),
                then: OfferApp(app: Example.quizzler, team: third.id), in: scene)
            #expect(try await scene.operator.ask(ShowApp(app: Example.quizzler)).offeredTo == nil)
        }
    }

    /// The first change is not undone while the second one stands, and then is.
    private static func check<First: Change, Second: Change>(
        _ first: First, then second: Second, in scene: Scene
    ) async throws {
        let number = try #require(try await scene.operator.perform(first, in: scene.maple).change)
        let later = try await scene.operator.perform(second, in: scene.maple).change
        let before = try await scene.state()
        let error = await #expect(throws: OperationError.self, "\(First.name)") {
            try await scene.operator.undo(number)
        }
        guard case .stale = error else {
            Issue.record("\(First.name): \(String(describing: error))")
            return
        }
        #expect(try await scene.state() == before)
        guard let later else { return }
        _ = try await scene.operator.undo(later)
        _ = try await scene.operator.undo(number)
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
