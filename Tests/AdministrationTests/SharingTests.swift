import AdministrationExamples
import Directory
import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing

@testable import Administration

@Suite struct SharingTests {
    private static let app = Example.quizzler

    private static func show(_ scene: Scene) async throws -> SharingRecord {
        try await scene.operator.ask(ShowSharing(app: app))
    }

    @Test("a preview names who appears and who disappears, and changes nothing", arguments: TestDatabase.available)
    func previews(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            _ = try await scene.school.insertApp()
            let away = try await scene.school.insertPerson("away", .student, at: scene.annex.id)
            let before = try await Self.show(scene)
            #expect(before.people == 3 && before.locations == nil && before.withheld.isEmpty)

            let preview = try await scene.operator.preview(SetSharing.students)
            #expect(preview.counts == ["sharing.changed": 1, "sharing.hidden": 2])
            #expect(preview.effects.map(\.name) == ["Quizzler", "head Okoye", "away Okoye"])
            #expect(preview.effects[0].detail.hasSuffix("; people 3 → 1, classes 0 → 0"))
            #expect(try await Self.show(scene) == before)

            let done = try await scene.operator.perform(SetSharing.students)
            #expect(done.answer.people == 1 && done.answer.roles == [.student] && done.answer.withheld == [.email])
            #expect(done.answer.locations?.map(\.name) == ["Maple District Main"])
            var wider = SetSharing.students
            wider.locations?.append(LocationReference("Annex"))
            let next = try await scene.operator.preview(wider)
            #expect(next.effects.dropFirst().map(\.subject) == ["person:\(away.id.rawValue)"])
            #expect(next.counts == ["sharing.changed": 1, "sharing.shown": 1])
        }
    }

    @Test(
        "what a change says of people and classes is counted now, also where a page has the numbers of the last count",
        arguments: TestDatabase.available)
    func exactNumbers(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            _ = try await scene.school.insertApp()
            let (organization, place, now) = (
                scene.school.organization.id, scene.school.location.id, scene.school.fixed.now
            )
            var change = SetSharing(app: Self.app)
            change.locations = [LocationReference(place)]
            _ = try await scene.operator.perform(change)
            #expect(try await !Self.show(scene).countsAreKept)
            try await scene.database.write { transaction in
                for number in 0...CountedRecords.atOnce {
                    _ = try RosterClass.insert(
                        in: organization, name: "Class \(number)", location: place, at: now, in: transaction)
                }
            }
            // Nobody has counted a large organization yet, so that it is done now.
            let counted = try await Self.show(scene)
            #expect(counted.classCount == 2_001 && !counted.countsAreKept)
            try await scene.database.write { transaction in
                try transaction.execute(
                    """
                    INSERT INTO sharing_count (rules_id, people, classes, counted_at)
                    SELECT id, 70, 7, changed_at FROM sharing_rules
                    """)
            }
            let shown = try await Self.show(scene)
            #expect(shown.classCount == 7 && shown.countsAreKept)
            change.roles = [.student]
            let preview = try await scene.operator.preview(change)
            #expect(preview.effects[0].detail.hasSuffix("; people 2 → 1, classes 2001 → 2001"))
            #expect(try await Self.show(scene).classCount == 7)
            let done = try await scene.operator.perform(change)
            #expect(done.effects[0].detail == preview.effects[0].detail && done.answer.classCount == 2_001)
            #expect(try await Self.show(scene).classCount == 2_001)

            // Rules that limit fields alone let all records through, whose number is kept by itself.
            var fieldsAlone = SetSharing(app: Self.app)
            fieldsAlone.withheld = [.email]
            #expect(try await !scene.operator.perform(fieldsAlone).answer.countsAreKept)
            try await scene.database.write { transaction in
                _ = try transaction.execute(
                    "INSERT INTO class_count (organization_id, number) VALUES ($1, 2000)", [organization])
            }
            let all = try await Self.show(scene)
            #expect(all.classCount == 2_000 && all.countsAreKept)
        }
    }

    @Test("each change is taken back exactly", arguments: TestDatabase.available)
    func undoes(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            _ = try await scene.school.insertApp()
            let art = try await scene.school.insertClass("Art", students: [scene.pupil])
            var classes = SetSharing(app: Self.app)
            classes.classes = [ClassReference(art)]
            classes.grades = ["7", "8"]
            classes.organizationItself = true
            var versions = [try await Self.show(scene).version]
            var changes: [Int64] = []
            let pupil = [PersonReference(scene.pupil.id)]
            func note(_ done: Done<SharingRecord>) throws {
                versions.append(done.answer.version)
                changes.append(try #require(done.change))
            }
            try note(try await scene.operator.perform(SetSharing.students))
            try note(try await scene.operator.perform(LeaveOut(app: Self.app, people: pupil)))
            try note(try await scene.operator.perform(classes))
            #expect(try await Self.show(scene).leftOut.map(\.userName) == [scene.pupil.userName])
            try note(try await scene.operator.perform(PutBack(app: Self.app, people: pupil)))
            #expect(Set(versions).count == versions.count)
            for (change, version) in zip(changes, versions).reversed() {
                _ = try await scene.operator.undo(change)
                #expect(try await Self.show(scene).version == version)
            }
        }
    }

    @Test("what does not fit is refused with a reason, and changes nothing")
    func badInput() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.school.insertApp()
            _ = try await scene.operator.perform(SetSharing.students)
            let before = try await scene.state()
            let oak = try await School.insert(in: scene.database, scene.school.fixed, name: "Oak")
            let stranger = try await oak.insertPerson("stranger", .student)
            func refused(_ change: some Change, _ reason: String) async throws {
                let error = await #expect(throws: OperationError.self) {
                    _ = try await scene.operator.perform(change, in: scene.maple)
                }
                #expect(error?.description == reason)
                #expect(try await scene.state() == before)
            }
            try await refused(SetSharing.students, "This is what Quizzler is shown already.")
            var change = SetSharing(app: Self.app)
            change.locations = [LocationReference("Oak Main")]
            try await refused(change, "Maple District has no location “Oak Main”.")
            change = SetSharing(app: Self.app)
            change.classes = [ClassReference("None")]
            try await refused(change, "Maple District has no class “None”.")
            change = SetSharing(app: Self.app)
            change.grades = [""]
            try await refused(change, "The grade is missing.")
            try await refused(LeaveOut(app: Self.app, people: []), "The people are missing.")
            try await refused(
                LeaveOut(app: Self.app, people: [PersonReference(stranger.id)]),
                "Maple District has no person “PE-\(stranger.id.rawValue)”.")
            try await refused(
                PutBack(app: Self.app, people: [PersonReference(scene.pupil.id)]), "None of them is left out.")
            try await refused(SetSharing(app: AppReference("Nothing")), "There is no app “Nothing”.")
            change = SetSharing(app: Self.app)
            change.organizationItself = false
            try await refused(
                change, "The organizationItself limits nothing by itself: name the locations too, or none.")
        }
    }

    @Test("rules come back although a location of theirs was archived since", arguments: TestDatabase.available)
    func archivedLocation(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            _ = try await scene.school.insertApp()
            var change = SetSharing(app: Self.app)
            change.locations = [LocationReference("Annex"), LocationReference("Maple District Main")]
            let version = try await scene.operator.perform(change).answer.version
            let opened = try await scene.operator.perform(SetSharing(app: Self.app))
            let (annex, now) = (scene.annex.id, scene.school.fixed.now)
            try await scene.database.write {
                try $0.execute("UPDATE location SET archived_at = $2 WHERE id = $1", [annex, now])
            }
            _ = try await scene.operator.undo(try #require(opened.change))
            #expect(try await Self.show(scene).version == version)
        }
    }

    @Test("rules of which a class was removed since do not come back, and whoever asks for that is told why")
    func removedClass() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.school.insertApp()
            let art = ClassReference(try await scene.school.insertClass("Art", students: [scene.pupil]))
            var change = SetSharing(app: Self.app)
            change.classes = [art]
            _ = try await scene.operator.perform(change)
            let opened = try #require(try await scene.operator.perform(SetSharing(app: Self.app)).change)
            _ = try await scene.operator.perform(ArchiveClass(class: art))
            _ = try await scene.operator.perform(RemoveClass(class: art))
            let before = try await Self.show(scene)
            let error = await #expect(throws: OperationError.self) { try await scene.operator.undo(opened) }
            let words = try #require(error?.description)
            #expect(
                words.hasPrefix("Change \(opened) cannot be taken back, because something that it was about is gone"))
            #expect(words.contains("has no class “CL-"))
            #expect(try await Self.show(scene) == before)
        }
    }

    @Test("who may not read people learns no names, and the trail has each preview that shows some")
    func names() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.school.insertApp()
            let (organization, fixed) = (scene.school.organization.id, scene.school.fixed)
            for (name, privileges) in [("Blind", [Privilege.shareData]), ("Seeing", [.shareData, .readPeople])] {
                let client = try await scene.database.write { transaction in
                    try APIClient.insert(
                        in: organization, name: name, privileges: Set(privileges), secret: SecretHash(of: name),
                        at: fixed.now, from: fixed.surroundings, in: transaction)
                }
                let administrator = scene.administrator(
                    .holder(TokenHolder(.client(client.id), Set(privileges))))
                let change = LeaveOut(app: Self.app, people: [PersonReference(scene.pupil.id)])
                let id = scene.pupil.id.rawValue
                let before = try await scene.trail().count
                let preview = try await administrator.preview(change)
                let expected = privileges.contains(.readPeople) ? scene.pupil.fullName : "PE-\(id)"
                #expect(preview.effects.last?.name == expected)
                let told = try await scene.trail().dropFirst(before)
                #expect(told.count == 1 && told.last?.hasSuffix("sharing.leave-out; preview; ids \(id)") == true)
                let done = try await administrator.perform(change)
                #expect(done.effects.last?.name == expected)
                #expect((done.answer.leftOut.first?.name == nil) == !privileges.contains(.readPeople))
                _ = try await scene.operator.undo(try #require(done.change))
            }
        }
    }

    @Test("one who may decide at one place only does not decide what an app sees of all")
    func places() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.school.insertApp()
            let manager = try await scene.holder(of: .siteManager, at: scene.annex.id)
            await #expect(throws: OperationError.forbidden(.shareData)) {
                try await scene.administrator(.person(manager.id)).perform(SetSharing.students)
            }
        }
    }

    @Test("of more than a thousand people an entry has a thousand, and each is found in the trail")
    func many() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.school.insertApp()
            let (organization, now) = (scene.school.organization.id, scene.school.fixed.now)
            try await scene.database.write { transaction in
                for index in 0..<1_200 {
                    _ = try Person.insert(
                        in: organization, givenName: "P", familyName: "\(index)", userName: "p\(index)@maple.example",
                        at: now, in: transaction)
                }
            }
            let done = try await scene.operator.perform(SetSharing.students)
            #expect(done.effects.map(\.action) == ["sharing.changed", "sharing.hidden", "sharing.hidden"])
            let one = try await scene.operator.ask(ListPeople(text: "p700@maple.example")).people[0]
            let found = try await scene.operator.ask(
                ListAudit(person: PersonReference(PersonID(rawValue: one.number)), action: "sharing"))
            #expect(found.entries.map(\.action) == ["sharing.hidden"])
        }
    }
}
