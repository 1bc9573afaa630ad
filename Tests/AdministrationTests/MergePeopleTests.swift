import Administration
import AdministrationExamples
import Authorization
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct MergePeopleTests {
    /// What the school has of both records, but for times and sign-ins.
    private static func records(of scene: Scene) async throws -> [String] {
        let tables: [(name: String, columns: [String])] = [
            ("person", ["id", "source", "source_id", "user_name", "given_name", "state", "missing_since"]),
            (
                "role_assignment",
                ["person_id", "location_id", "role", "roster_role", "source", "position", "import_id"]
            ),
            ("class_student", ["person_id", "class_id", "roster_id", "import_id"]),
            ("class_instructor", ["person_id", "class_id", "position", "import_id"]),
            ("registered_device", ["id", "person_id", "thumbprint"]),
            ("person_merge", ["merged_id", "kept_id"]),
        ]
        return try await scene.database.read { transaction in
            try tables.flatMap { table in
                let columns = table.columns.map { "COALESCE(CAST(\($0) AS TEXT), '-')" }.joined(
                    separator: " || ' ' || ")
                let order = table.columns.prefix(3).joined(separator: ", ")
                return try transaction.all("SELECT \(columns) FROM \(table.name) ORDER BY \(order)") { row in
                    try row[0] as String
                }
            }
        }
    }

    /// A second record of the pupil's, from an import: with a role, two classes of which the pupil has one, and two
    /// devices of which the pupil has one.
    private static func twin(in scene: Scene) async throws -> Person {
        let twin = try await scene.school.insertPerson("twin", .student)
        try await scene.school.assign(.student, at: scene.annex.id, to: twin)
        _ = try await scene.school.insertClass("Art", students: [scene.pupil, twin])
        _ = try await scene.school.insertClass("Biology", instructors: [twin], students: [twin])
        let (annex, pupil) = (scene.annex.id, scene.pupil.id)
        try await scene.database.write { transaction in
            try transaction.execute("UPDATE person SET source = 'csv', source_id = 'S-1' WHERE id = $1", [twin.id])
            try transaction.execute(
                """
                UPDATE role_assignment SET source = 'csv', position = 2, import_id = 7
                WHERE person_id = $1 AND location_id = $2
                """, [twin.id, annex])
            try transaction.execute(
                "UPDATE class_student SET roster_id = 'R-1', import_id = 7 WHERE person_id = $1", [twin.id])
            for (id, person, thumbprint) in [(1, pupil, "same"), (2, twin.id, "same"), (3, twin.id, "other")] {
                try transaction.execute(
                    """
                    INSERT INTO registered_device (public_id, person_id, name, public_key, thumbprint, facts,
                                                   registered_at)
                    VALUES ($1, $2, 'Laptop', $3, $4, '{}', 0)
                    """, ["d-\(id)", person, [UInt8](repeating: 4, count: 65), thumbprint])
            }
        }
        return twin
    }

    private static let pupil = PersonReference("pupil@maple.example")
    private static let merge = MergePeople(person: pupil, other: PersonReference("twin@maple.example"))

    @Test(
        "the kept record gets what the other had, the other says where it has gone, and undoing gives all of it back",
        arguments: TestDatabase.available)
    func mergesAndUndoes(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let twin = try await Self.twin(in: scene)
            let before = try await Self.records(of: scene)
            let preview = try await scene.operator.preview(Self.merge)
            #expect(try await Self.records(of: scene) == before)

            let done = try await scene.operator.perform(Self.merge)
            let (annex, name) = (scene.annex.id.rawValue, "person:\(twin.id.rawValue)")
            let biology = try #require(done.effects.first { $0.detail.contains("as instructor") })
            #expect(
                done.effects.map(\.detail) == [
                    "role student at location:\(annex) taken over from \(name)",
                    biology.detail.replacing("instructor", with: "student"), biology.detail,
                    "1 registered device taken over from \(name)", "person id taken over from \(name)",
                    "merged into person:\(scene.pupil.id.rawValue)",
                ])
            #expect(preview.effects == done.effects)
            let kept = done.answer.person
            #expect(kept.personID == "S-1" && kept.source == .csv && kept.userName == "pupil@maple.example")
            #expect(kept.roles.count == 2 && kept.mergedInto == nil)
            let other = done.answer.other
            #expect(other.state == .deactivated && other.mergedInto == kept.number && other.personID == nil)
            #expect(other.roles.isEmpty && other.number == twin.id.rawValue)
            #expect(done.answer.notice == nil)

            _ = try await scene.operator.undo(try #require(done.change))
            // The device that both had was the other's a second time; it went with the deactivation.
            let after = try await Self.records(of: scene)
            #expect(after == before.filter { $0 != "2 \(twin.id.rawValue) same" })
        }
    }

    @Test("a merging on which something was built is not undone", arguments: TestDatabase.available)
    func stale(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            _ = try await Self.twin(in: scene)
            for person in ["pupil@maple.example", "twin@maple.example"] {
                let done = try await scene.operator.perform(Self.merge)
                let edit = try await scene.operator.perform(
                    EditPerson(person: PersonReference(person), lastName: "Built"))
                let records = try await Self.records(of: scene)
                await #expect(throws: OperationError.self) {
                    try await scene.operator.undo(try #require(done.change))
                }
                #expect(try await Self.records(of: scene) == records)
                _ = try await scene.operator.undo(try #require(edit.change))
                _ = try await scene.operator.undo(try #require(done.change))
            }
        }
    }

    @Test("the last Administrator's two records become one, and come apart again")
    func lastAdministrator() async throws {
        try await Scene.with(.sqlite) { scene in
            let second = try await scene.school.insertPerson("second")
            let before = try await Self.records(of: scene)
            let done = try await scene.operator.perform(
                MergePeople(person: PersonReference(second.id), other: PersonReference("head@maple.example")))
            #expect(done.answer.person.roles.map(\.role) == [.administrator])
            _ = try await scene.operator.undo(try #require(done.change))
            #expect(try await Self.records(of: scene) == before)
        }
    }

    @Test("a record that was deactivated before stays so when the merging is undone")
    func deactivatedBefore() async throws {
        try await Scene.with(.sqlite) { scene in
            let twin = try await Self.twin(in: scene)
            try await scene.school.deactivate(twin)
            let before = try await Self.records(of: scene)
            let done = try await scene.operator.perform(Self.merge)
            _ = try await scene.operator.undo(try #require(done.change))
            #expect(try await Self.records(of: scene) == before)
        }
    }

    @Test("two person ids stay two, and the answer says that the school's records have one too many")
    func twoPersonIDs() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await Self.twin(in: scene)
            _ = try await scene.operator.perform(EditPerson(person: Self.pupil, personID: "S-2"))
            let done = try await scene.operator.perform(Self.merge)
            #expect(done.answer.person.personID == "S-2" && done.answer.other.personID == "S-1")
            #expect(done.answer.notice?.contains("take S-1 out of the school's records") == true)
            // Imports, which do not find the kept record by the other's row, would take its roles away.
            let sources = try await scene.database.read {
                try $0.all("SELECT source FROM role_assignment WHERE person_id = $1", [scene.pupil.id]) {
                    try $0[0] as String
                }
            }
            #expect(sources == ["manual", "manual"])
        }
    }

    @Test(
        "apps are told that the other has left, none is led to the kept record, and the answer says who knows both",
        arguments: TestDatabase.available)
    func apps(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let twin = try await Self.twin(in: scene)
            try await scene.database.write { transaction in
                try transaction.execute(
                    """
                    INSERT INTO team (id, public_id, name, sealed_identifier_key, created_at)
                    VALUES (1, 't', 'T', $1, 0)
                    """, [[UInt8](repeating: 0, count: 16)])
                for (app, name) in [(1, "Quizzler"), (2, "Planner")] {
                    try transaction.execute(
                        "INSERT INTO app (id, team_id, name, scopes, created_at) VALUES ($1, 1, $2, '', 0)",
                        [app, name])
                }
                for (app, person) in [(1, scene.pupil.id), (1, twin.id), (2, twin.id)] {
                    try transaction.execute(
                        """
                        INSERT INTO sign_in_consent (app_id, person_id, scopes, hides_email, request_hash, granted_at)
                        VALUES ($1, $2, '', 0, $3, 0)
                        """, [app, person, [UInt8](repeating: 0, count: 32)])
                }
            }
            let done = try await scene.operator.perform(Self.merge)
            #expect(done.answer.apps.sorted { $0.name < $1.name }.map(\.name) == ["Planner", "Quizzler"])
            #expect(done.answer.apps.filter(\.knowsBoth).map(\.name) == ["Quizzler"])
            #expect(
                done.effects.map(\.detail).filter { $0.contains("app:") }.sorted() == [
                    "the sign-in to app:1 ends; the app has data of the kept record too", "the sign-in to app:2 ends",
                ])
            let living = try await scene.database.read {
                try $0.all("SELECT app_id, person_id FROM sign_in_consent WHERE revoked_at IS NULL") { row in
                    "\(try row["app_id"] as Int) \(try row["person_id"] as Int64)"
                }
            }
            #expect(living == ["1 \(scene.pupil.id.rawValue)"])
            // Undoing gives the other no sign-in back, and the kept one keeps its own.
            _ = try await scene.operator.undo(try #require(done.change))
            let count: Int? = try await scene.database.read {
                try $0.first("SELECT COUNT(*) FROM sign_in_consent WHERE revoked_at IS NULL") { try $0[0] }
            }
            #expect(count == 1)
        }
    }

    @Test("what cannot be one is refused, for a reason, and nothing changes")
    func refuses() async throws {
        try await Scene.with(.sqlite) { scene in
            let twin = try await Self.twin(in: scene)
            let third = try await scene.school.insertPerson("third", .student)
            let owner = try await scene.insertPersonal("r@quizzler.example")
            let elm = try await School.insert(in: scene.database, scene.school.fixed, name: "Elm")
            let stranger = try await elm.insertPerson("stranger", .student)
            let gone = try await scene.school.insertPerson("gone", .student)
            try await scene.school.deactivate(gone)
            _ = try await scene.operator.perform(Self.merge)
            let (state, trail) = (try await Self.records(of: scene), try await scene.trail())
            for (kept, other, reason) in [
                (scene.pupil, scene.pupil, "the same record"), (scene.pupil, owner, "has a personal account"),
                (owner, scene.pupil, "has a personal account"), (scene.pupil, stranger, "two organizations"),
                (gone, third, "is deactivated"),
                // A second time, the other way round, and by a detour.
                (scene.pupil, twin, "was merged into PE-\(scene.pupil.id.rawValue) already"),
                (twin, scene.pupil, "was merged into PE-\(scene.pupil.id.rawValue) already"),
                (third, twin, "was merged into PE-\(scene.pupil.id.rawValue) already"),
            ] {
                let error = await #expect(throws: OperationError.self) {
                    try await scene.operator.perform(
                        MergePeople(person: PersonReference(kept.id), other: PersonReference(other.id)))
                }
                #expect(error.map { "\($0)".contains(reason) } == true, "\(reason): \(error.map { "\($0)" } ?? "")")
            }
            // A record that was given up does not come back by another way.
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(ReactivatePerson(person: PersonReference(twin.id)))
            }
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(
                    SeparatePeople(person: PersonReference(third.id), other: PersonReference(twin.id)))
            }
            #expect(try await Self.records(of: scene) == state)
            #expect(try await scene.trail() == trail)
        }
    }

    @Test("a chain of mergings comes apart from its end, link by link")
    func chain() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await Self.twin(in: scene)
            let third = try await scene.school.insertPerson("third", .student)
            let before = try await Self.records(of: scene)
            let first = try await scene.operator.perform(Self.merge)
            let second = try await scene.operator.perform(
                MergePeople(person: PersonReference(third.id), other: Self.pupil))
            #expect(second.answer.person.personID == "S-1")
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(
                    SeparatePeople(person: Self.pupil, other: PersonReference("twin@maple.example")))
            }
            _ = try await scene.operator.undo(try #require(second.change))
            _ = try await scene.operator.undo(try #require(first.change))
            #expect(
                try await Self.records(of: scene).filter { !$0.hasSuffix(" same") }
                    == before.filter { !$0.hasSuffix(" same") })
        }
    }

    @Test(
        "two who merge the same two records at once, each its own way round: one does",
        arguments: TestDatabase.available)
    func twice(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let twin = PersonReference(try await Self.twin(in: scene).id)
            let merges = [MergePeople(person: Self.pupil, other: twin), MergePeople(person: twin, other: Self.pupil)]
            let done = await withTaskGroup(of: Bool.self, returning: Int.self) { group in
                for merge in merges { group.addTask { (try? await scene.operator.perform(merge)) != nil } }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(done == 1)
        }
    }

    @Test(
        "the trail says which apps see the kept record no more, because the other one is left out",
        arguments: TestDatabase.available)
    func hides(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let twin = try await Self.twin(in: scene)
            let (quizzler, reader) = (
                try await scene.insert("Quizzler", "com.example.quizzler"),
                try await scene.insert("Reader", "com.example.reader")
            )
            _ = try await scene.insert("Painter", "com.example.painter")
            // Reader sees neither of them before.
            for (app, people) in [
                (quizzler, [PersonReference(twin.id)]), (reader, [PersonReference(twin.id), Self.pupil]),
            ] {
                _ = try await scene.operator.perform(LeaveOut(app: AppReference(app.app.id), people: people))
            }
            let effects = try await scene.operator.perform(Self.merge).effects
            #expect(
                effects.filter { $0.action == "sharing.hidden" }.map { "\($0.subject) \($0.detail)" }
                    == ["person:\(scene.pupil.id.rawValue) not shown to app:\(quizzler.app.id.rawValue)"])
        }
    }

    @Test("whoever may change only one of the two merges neither")
    func privileges() async throws {
        try await Scene.with(.sqlite) { scene in
            let twin = try await Self.twin(in: scene)
            let manager = try await scene.holder(of: .siteManager, at: scene.school.location.id)
            // The twin is at the annex too.
            await #expect(throws: OperationError.forbidden(.erasePeople)) {
                try await scene.administrator(.person(manager.id)).perform(Self.merge)
            }
            await #expect(throws: OperationError.forbidden(.erasePeople)) {
                try await scene.administrator(.person(manager.id)).perform(
                    MergePeople(person: PersonReference(twin.id), other: Self.pupil))
            }
        }
    }

    @Test("whoever merges records of their own school can take it back, but not those of another")
    func onePlace() async throws {
        try await Scene.with(.sqlite) { scene in
            let manager = try await scene.holder(of: .siteManager, at: scene.school.location.id)
            let administrator = scene.administrator(.person(manager.id))
            _ = try await scene.school.insertPerson("twin", .student)
            let before = try await Self.records(of: scene)
            let own = try #require(try await administrator.perform(Self.merge).change)
            _ = try await administrator.undo(own)
            #expect(try await Self.records(of: scene) == before)

            let other = try await scene.school.insertPerson("other", .student, at: scene.annex.id)
            let merge = MergePeople(person: Self.pupil, other: PersonReference(other.id))
            _ = try await scene.operator.perform(merge)
            // The role at the annex is the kept record's no more, but it would be the other's again.
            _ = try await scene.operator.perform(
                RemoveRole(person: Self.pupil, role: .student, at: LocationReference(scene.annex.id)))
            await #expect(throws: OperationError.forbidden(.erasePeople)) {
                try await administrator.perform(
                    SeparatePeople(person: Self.pupil, other: PersonReference(other.id)))
            }
        }
    }
}
