import Administration
import AdministrationExamples
import Authorization
import Directory
import Fixtures
import RosterFiles
import Storage
import TestSupport
import Testing

@Suite struct LocationRemovalTests {
    /// All of a row of the table but the time of its last change, which apps see.
    private static func row(of id: LocationID, in scene: Scene) async throws -> String {
        let columns = [
            "organization_id", "source", "source_id", "name", "domain_name", "time_zone", "student_password_policy",
            "created_at", "archived_at", "import_id",
        ]
        let text = columns.map { "COALESCE(CAST(\($0) AS TEXT), '-')" }.joined(separator: " || '|' || ")
        return try await scene.database.read {
            try $0.first("SELECT \(text) FROM location WHERE id = $1", [id]) { try $0[0] as String }
        } ?? ""
    }

    @Test(
        "a removed location is gone for apps and lists, cannot be used, and comes back as it was",
        arguments: TestDatabase.available)
    func removes(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let annex = LocationReference("Annex")
            _ = try await scene.operator.perform(
                EditLocation(location: annex, domain: "annex.maple.example", studentPasswordPolicy: .fourDigits))
            let before = try await Self.row(of: scene.annex.id, in: scene)
            let preview = try await scene.operator.preview(RemoveLocation(location: annex))
            // The Administrator of the other location decides for all then.
            #expect(preview.effects.map(\.action) == ["location.removed", "person.changed"])
            #expect(preview.version != nil)
            #expect(try await Self.row(of: scene.annex.id, in: scene) == before)
            let done = try await scene.operator.perform(RemoveLocation(location: annex), ifVersion: preview.version)
            #expect(done.answer.removedAt == scene.school.fixed.now && done.answer.version != preview.version)
            #expect(try await !scene.locationNames().contains("Annex"))
            #expect(try await scene.locationNames(removed: true) == ["Annex"])
            let pupil = PersonReference(scene.pupil.id)
            for reference in [annex, LocationReference(scene.annex.id)] {
                await #expect(throws: OperationError.self) {
                    try await scene.operator.perform(AddRole(person: pupil, role: .student, at: reference))
                }
                await #expect(throws: OperationError.self) {
                    try await scene.operator.perform(EditLocation(location: reference, name: "Other"))
                }
                await #expect(throws: OperationError.refused("Annex is removed already.")) {
                    try await scene.operator.perform(RemoveLocation(location: reference))
                }
            }
            _ = try await scene.operator.undo(try #require(done.change))
            #expect(try await Self.row(of: scene.annex.id, in: scene) == before)
            #expect(try await scene.operator.ask(ShowLocation(location: annex)).location.version == preview.version)
            await #expect(throws: OperationError.refused("Annex is not removed.")) {
                try await scene.operator.perform(RestoreLocation(location: annex))
            }
        }
    }

    @Test(
        "a location is kept as long as something stands at it, and the refusal says what",
        arguments: TestDatabase.available)
    func refuses(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let annex = LocationReference("Annex")
            func refusal() async throws -> String {
                let before = try await scene.state()
                let error = await #expect(throws: OperationError.self) {
                    try await scene.operator.perform(RemoveLocation(location: annex))
                }
                #expect(try await scene.state() == before)
                guard case .refused(let words, let remedy?) = error else { return "\(String(describing: error))" }
                #expect(remedy.operation == ShowLocation.name)
                return words
            }
            let pupil = PersonReference(scene.pupil.id)
            // A role that begins later stands there too.
            _ = try await scene.operator.perform(AddRole(person: pupil, role: .staff, at: annex, from: "2999-01-01"))
            #expect(try await refusal().contains("1 person holds a role there"))
            let made = try await scene.operator.perform(AddClass(name: "Chess", at: annex)).answer
            _ = try await scene.operator.perform(
                AddTerm(name: "Summer", firstDay: "2026-08-17", lastDay: "2027-07-02", at: annex))
            let pickUp = try await scene.operator.perform(SetPickUp(school: annex, hour: 2)).answer
            #expect(
                try await refusal() == """
                    Annex is in use: 1 person holds a role there; 1 class is there; it has the open term “Summer”; its files come \
                    by pick-up \(pickUp.pickUp). First give those people a role elsewhere, or take it away; move or archive the \
                    classes; close the term; remove the pick-up.
                    """)
            let use = try await scene.operator.ask(ShowLocation(location: annex)).use
            #expect(use.people == 1 && use.classes == 1 && use.terms == ["Summer"] && use.pickUps == [pickUp.pickUp])

            _ = try await scene.operator.perform(RemovePickUp(pickUp: pickUp.pickUp))
            _ = try await scene.operator.perform(CloseTerm(term: TermReference("Summer")))
            _ = try await scene.operator.perform(ArchiveClass(class: ClassReference("CL-\(made.number)")))
            #expect(try await refusal().contains("Annex is in use: 1 person holds a role there. First give"))
            _ = try await scene.operator.perform(RemoveRole(person: pupil, role: .staff, at: annex))
            let done = try await scene.operator.perform(RemoveLocation(location: annex))
            #expect(done.effects.first?.detail == "removed; still named by 1 archived class")
            // What it had is there still, and does not come back to a place that is none.
            let restoring = RestoreClass(class: ClassReference("CL-\(made.number)"))
            let toDo = OperationError.refused(
                "Annex, where Chess is, was removed. Restore the location first, or move the class to another one.",
                remedy: .init(RestoreLocation.name, "LO:\(scene.annex.id.rawValue)"))
            await #expect(throws: toDo) { try await scene.operator.preview(restoring) }
            await #expect(throws: toDo) { try await scene.operator.perform(restoring) }
            _ = try await scene.operator.perform(RestoreLocation(location: annex))
            #expect(
                try await scene.operator.perform(RestoreClass(class: ClassReference("CL-\(made.number)"))).answer
                    .location
                    == "Annex")
        }
    }

    @Test(
        "who has several roles at a location counts once, by those that are not over", arguments: TestDatabase.available
    )
    func countsPeopleOnce(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let annex = LocationReference(scene.annex.id)
            for role in [Role.instructor, .staff] {
                _ = try await scene.operator.perform(
                    AddRole(person: PersonReference(scene.pupil.id), role: role, at: annex))
            }
            func end(_ role: Role) async throws {
                try await scene.database.write { transaction in
                    try transaction.execute(
                        "UPDATE role_assignment SET ends_at = 1 WHERE person_id = $1 AND location_id = $2 AND role = $3",
                        [scene.pupil.id, scene.annex.id, role])
                }
            }
            func show() async throws -> ShowLocation.Answer {
                try await scene.operator.ask(ShowLocation(location: annex))
            }
            let both = try await show()
            #expect(both.people == 1 && both.use.people == 1 && both.roles.map(\.number) == [1, 1])
            try await end(.instructor)
            #expect(try await show().use.people == 1)
            try await end(.staff)
            let over = try await show()
            #expect(over.people == 1 && over.use.people == 0)
        }
    }

    @Test(
        "somebody who has left keeps their role at a removed location, and comes back once it is restored or the role is gone",
        arguments: TestDatabase.available)
    func leavers(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let annex = LocationReference(scene.annex.id)
            let pupil = PersonReference(scene.pupil.id)
            _ = try await scene.operator.perform(AddRole(person: pupil, role: .staff, at: annex))
            let left = try #require(try await scene.operator.perform(DeactivatePerson(person: pupil)).change)
            let roles = try await scene.operator.ask(ShowPerson(person: pupil)).roles.count
            let done = try await scene.operator.perform(RemoveLocation(location: annex))
            #expect(done.effects.first?.detail.contains("by 1 person who has left or whose role is over") == true)
            #expect(try await scene.operator.ask(ShowPerson(person: pupil)).roles.count == roles)
            for attempt in [true, false] {
                let error = await #expect(throws: OperationError.self) {
                    if attempt {
                        _ = try await scene.operator.perform(ReactivatePerson(person: pupil))
                    } else {
                        _ = try await scene.operator.undo(left)
                    }
                }
                guard case .refused(let words, let remedy?) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(words.contains("holds a role at Annex, which was removed"))
                #expect(remedy.operation == RestoreLocation.name)
            }
            // Nor does anybody else get the role there.
            let other = try await scene.operator.perform(
                AddPerson(firstName: "Noor", lastName: "Berg", role: .student)
            ).answer
            let merging = MergePeople(person: PersonReference(other.userName), other: pupil)
            let error = await #expect(throws: OperationError.self) { try await scene.operator.perform(merging) }
            #expect("\(String(describing: error))".contains("holds a role at Annex, which was removed"))

            _ = try await scene.operator.perform(RemoveRole(person: pupil, role: .staff, at: annex))
            #expect(try await scene.operator.perform(ReactivatePerson(person: pupil)).answer.state != .deactivated)
        }
    }

    @Test("a sharing rule that names a removed location lets nothing else through", arguments: TestDatabase.available)
    func sharing(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            _ = try await scene.school.insertApp()
            var change = SetSharing(app: Example.quizzler)
            change.locations = [LocationReference("Annex")]
            _ = try await scene.operator.perform(change)
            let before = try await scene.operator.ask(ShowSharing(app: Example.quizzler))
            #expect(before.people == 0)
            let done = try await scene.operator.perform(RemoveLocation(location: LocationReference("Annex")))
            #expect(done.effects.first?.detail == "removed; still named by 1 sharing rule")
            let after = try await scene.operator.ask(ShowSharing(app: Example.quizzler))
            #expect(after.version == before.version && after.people == 0 && after.classCount == 0)
            #expect(after.locations?.map(\.id) == ["LO:\(scene.annex.id.rawValue)"])
            // Another location of that name is not the one that the rule names.
            _ = try await scene.operator.perform(AddLocation(name: "Annex"))
            _ = try await scene.operator.perform(
                AddRole(person: PersonReference(scene.pupil.id), role: .student, at: LocationReference("Annex")))
            #expect(try await scene.operator.ask(ShowSharing(app: Example.quizzler)).people == 0)
            _ = try await scene.operator.undo(try #require(done.change))
            #expect(try await scene.operator.ask(ShowSharing(app: Example.quizzler)) == before)
        }
    }

    @Test(
        "who decides for the whole organization by it, with a role at each other location, is named before and on the trail",
        arguments: TestDatabase.available)
    func deciding(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let manager = try await scene.holder(of: .siteManager, at: scene.school.location.id)
            let change = RemoveLocation(location: LocationReference("Annex"))
            let preview = try await scene.operator.preview(change)
            #expect(preview.effects.first?.subject == "location:\(scene.annex.id.rawValue)")
            #expect(preview.effects.dropFirst().map(\.name) == ["head Okoye", manager.fullName])
            #expect(preview.effects.last?.subject == "person:\(manager.id.rawValue)")
            let before = try await scene.trail()
            let done = try await scene.operator.perform(change)
            let news = try await scene.news(since: before)
            #expect(
                news.contains { $0.contains("person:\(manager.id.rawValue)") && $0.contains("decides for the whole") })
            let (id, now) = (manager.id, scene.school.fixed.now)
            func decides() async throws -> Bool {
                try await scene.database.read { transaction in
                    try Person.find(id, in: transaction)?.rolesThatShareData(at: now, in: transaction).isEmpty == false
                }
            }
            #expect(try await decides())
            _ = try await scene.operator.undo(try #require(done.change))
            #expect(try await !decides())
        }
    }

    @Test("a new location does not get the id of a removed one, and taking its adding back removes it")
    func ids() async throws {
        try await Scene.with(.sqlite) { scene in
            let added = try await scene.operator.perform(AddLocation(name: "Middle", locationID: "middle"))
            _ = try await scene.operator.undo(try #require(added.change))
            #expect(try await scene.locationNames(removed: true) == ["Middle"])
            let error = await #expect(throws: OperationError.self) {
                try await scene.operator.perform(AddLocation(name: "Other", locationID: "middle"))
            }
            guard case .refused(let words, let remedy?) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(words.hasPrefix("Middle, which was removed, has the id “middle”."))
            #expect(remedy.operation == RestoreLocation.name && remedy.subject == added.answer.id)
            _ = try await scene.operator.perform(RestoreLocation(location: LocationReference("middle")))
            #expect(try await scene.locationNames().contains("Middle"))
        }
    }
}
