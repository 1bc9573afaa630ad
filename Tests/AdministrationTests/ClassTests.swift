import Administration
import AdministrationExamples
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct ClassTests {
    private static func living(_ scene: Scene) async throws -> [RosterClass] {
        let organization = scene.school.organization.id
        return try await scene.database.read {
            try RosterClass.page(of: organization, through: .everything, after: .none, limit: 100, in: $0)
        }
    }

    @Test("an archived class leaves apps at once, and comes back with its members", arguments: TestDatabase.available)
    func archives(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let teacher = try await scene.school.insertPerson("teacher", .instructor)
            let id = try await scene.school.insertClass("Choir", instructors: [teacher], students: [scene.pupil])
            let before = try await Self.living(scene)
            let reference = ClassReference("Choir")
            _ = try await scene.operator.perform(ArchiveClass(class: reference))
            #expect(try await Self.living(scene) == [])
            let organization = scene.school.organization.id
            try await scene.database.read { transaction in
                #expect(try RosterClass.count(of: organization, in: transaction) == 0)
                #expect(try !RosterClass.exists(id, in: organization, transaction))
                #expect(try !RosterClass.teaches(teacher.id, scene.pupil.id, at: nil, in: transaction))
                let members = try RosterPerson.page(
                    ofClass: id, role: nil, through: .everything, after: .none, limit: 10,
                    at: scene.school.fixed.now, in: transaction)
                #expect(members.isEmpty)
            }
            let shown = try await scene.operator.ask(ShowClass(class: reference))
            #expect(shown.archivedAt == scene.school.fixed.now)
            #expect(shown.students.map(\.number) == [scene.pupil.id.rawValue])
            #expect(try await scene.operator.ask(ListClasses()).classes.isEmpty)
            #expect(try await scene.operator.ask(ListClasses(archived: true)).classes.map(\.students) == [1])
            await #expect(throws: OperationError.refused("Choir is archived already.")) {
                try await scene.operator.perform(ArchiveClass(class: reference))
            }
            _ = try await scene.operator.perform(RestoreClass(class: reference))
            #expect(try await Self.living(scene) == before)
        }
    }

    @Test("each change of a class is taken back exactly", arguments: TestDatabase.available)
    func undoes(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let first = try await scene.school.insertPerson("first", .instructor)
            let second = try await scene.school.insertPerson("second", .instructor)
            let other = try await scene.school.insertPerson("other", .student)
            _ = try await scene.school.insertClass("Choir", instructors: [first, second], students: [scene.pupil])
            func classes() async throws -> [String] {
                try await scene.database.read { try Scene.classes(in: $0) }
            }
            let before = try await classes()
            var edit = EditClass(class: ClassReference("Choir"))
            edit.name = "Chœur 合唱"
            edit.room = "12"
            edit.at = LocationReference("Annex")
            edit.instructors = [PersonReference(second.id)]
            edit.addStudents = [PersonReference(other.id)]
            edit.removeStudents = [PersonReference(scene.pupil.id)]
            let edited = try await scene.operator.perform(edit)
            #expect(edited.answer.students.map(\.number) == [other.id.rawValue])
            #expect(edited.answer.location == "Annex")
            _ = try await scene.operator.undo(try #require(edited.change))
            #expect(try await classes() == before)

            let archived = try await scene.operator.perform(ArchiveClass(class: ClassReference("Choir")))
            _ = try await scene.operator.undo(try #require(archived.change))
            #expect(try await classes() == before)
        }
    }

    @Test("a name means the living class, and the archived one where that is expected")
    func names() async throws {
        try await Scene.with(.sqlite) { scene in
            let old = try await scene.school.insertClass("Choir")
            let choir = ClassReference("Choir")
            _ = try await scene.operator.perform(ArchiveClass(class: choir))
            let new = try await scene.school.insertClass("Choir")
            #expect(try await scene.operator.ask(ShowClass(class: choir)).number == new.rawValue)
            #expect(try await scene.operator.perform(RemoveClass(class: choir)).answer.number == old.rawValue)
            await #expect(throws: OperationError.self) {
                try await scene.operator.perform(RemoveClass(class: choir))
            }
            #expect(try await scene.operator.ask(ListClasses()).classes.map(\.number) == [new.rawValue])
        }
    }

    @Test("what an import still has is not removed, and keeps what the import writes")
    func delivered() async throws {
        try await Scene.with(.sqlite) { scene in
            let id = try await scene.school.insertClass("Choir", students: [scene.pupil])
            try await scene.database.write { transaction in
                try transaction.execute("UPDATE class SET source = 'csv', source_id = 'K-1' WHERE id = $1", [id])
                try transaction.execute("UPDATE class_student SET roster_id = 'R-1' WHERE class_id = $1", [id])
            }
            let reference = ClassReference("K-1")
            let before = try await scene.state()
            let changes: [(inout EditClass) -> Void] = [
                { $0.name = "Band" },
                { $0.at = LocationReference("Annex") },
                { $0.instructors = [] },
                { $0.removeStudents = [PersonReference(scene.pupil.id)] },
            ]
            for change in changes {
                var edit = EditClass(class: reference)
                change(&edit)
                await #expect(throws: OperationError.self) { try await scene.operator.perform(edit) }
            }
            #expect(try await scene.state() == before)
            var edit = EditClass(class: reference)
            edit.room = "12"
            #expect(try await scene.operator.perform(edit).answer.room == "12")

            _ = try await scene.operator.perform(ArchiveClass(class: reference))
            await #expect(
                throws: OperationError.refused(
                    "The files of the last import have Choir. It can be removed after an import without it.")
            ) { try await scene.operator.perform(RemoveClass(class: reference)) }
            try await scene.database.write { try $0.execute("UPDATE class SET missing_since = 1") }
            _ = try await scene.operator.perform(RemoveClass(class: reference))
            let left = try await scene.database.read {
                try $0.first("SELECT COUNT(*) FROM class_student") { try $0[0] as Int }
            }
            #expect(left == 0)
        }
    }

    @Test("a class is not restored to a location that is archived")
    func archivedLocation() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.school.insertClass("Choir")
            let choir = ClassReference("Choir")
            _ = try await scene.operator.perform(ArchiveClass(class: choir))
            let place = scene.school.location.id
            try await scene.database.write {
                try $0.execute("UPDATE location SET archived_at = 1 WHERE id = $1", [place])
            }
            await #expect(throws: OperationError.self) { try await scene.operator.perform(RestoreClass(class: choir)) }
            func obstacle() async throws -> String? {
                try await scene.operator.ask(ShowClass(class: choir)).removedLocation
            }
            #expect(try await obstacle() == scene.school.location.name)
            var edit = EditClass(class: choir)
            edit.at = LocationReference("Annex")
            _ = try await scene.operator.perform(edit)
            #expect(try await obstacle() == nil)
            #expect(try await scene.operator.perform(RestoreClass(class: choir)).answer.location == "Annex")
        }
    }

    @Test("nobody reaches others' pupils by putting them into a class")
    func escalation() async throws {
        try await Scene.with(.sqlite) { scene in
            let manager = try await scene.holder(of: .manager, at: scene.annex.id)
            _ = try await scene.school.insertPerson("own", .student, at: scene.annex.id)
            let administrator = scene.administrator(.person(manager.id))
            let annex = LocationReference("Annex")
            await #expect(throws: OperationError.forbidden(.readPeople)) {
                try await administrator.perform(
                    AddClass(name: "Choir", at: annex, students: [PersonReference(scene.pupil.id)]))
            }
            _ = try await administrator.perform(
                AddClass(name: "Choir", at: annex, students: [PersonReference("own@maple.example")]))
            var edit = EditClass(class: ClassReference("Choir"))
            edit.addStudents = [PersonReference(scene.pupil.id)]
            await #expect(throws: OperationError.forbidden(.readPeople)) { try await administrator.perform(edit) }
            // Neither does a class leave for a place that they do not manage.
            edit.addStudents = nil
            edit.at = LocationReference("Maple District Main")
            await #expect(throws: OperationError.forbidden(.manageClasses)) { try await administrator.perform(edit) }
        }
    }

    @Test("a teacher sees the own classes alone")
    func teachers() async throws {
        try await Scene.with(.sqlite) { scene in
            let teacher = try await scene.holder(of: .instructor, at: scene.school.location.id)
            _ = try await scene.school.insertClass("Choir", students: [scene.pupil])
            let administrator = scene.administrator(.person(teacher.id))
            #expect(
                try await administrator.ask(ListClasses()).classes.map(\.name) == ["Art \(teacher.id.rawValue)"])
            await #expect(throws: OperationError.forbidden(.readPeople)) {
                try await administrator.ask(ShowClass(class: ClassReference("Choir")))
            }
        }
    }

    @Test("the classes of a person are listed, as far as whoever asks may read person and classes")
    func ofPerson() async throws {
        try await Scene.with(.sqlite) { scene in
            let teacher = try await scene.holder(of: .instructor, at: scene.school.location.id)
            let other = try await scene.school.insertPerson("other", .student)
            _ = try await scene.school.insertClass("Choir", students: [scene.pupil])
            _ = try await scene.school.insertClass("Chess", students: [other])
            func names(_ person: Person, _ caller: Administrator) async throws -> [String] {
                try await caller.ask(ListClasses(person: PersonReference(person.id))).classes.map(\.name)
            }
            let art = "Art \(teacher.id.rawValue)"
            #expect(try await names(scene.pupil, scene.operator) == [art, "Choir"])
            #expect(try await names(teacher, scene.operator) == [art])
            let administrator = scene.administrator(.person(teacher.id))
            #expect(try await names(scene.pupil, administrator) == [art])
            await #expect(throws: OperationError.forbidden(.readPeople)) { try await names(other, administrator) }
        }
    }

    @Test("bad input says what is wrong, and changes nothing")
    func badInput() async throws {
        try await Scene.with(.sqlite) { scene in
            _ = try await scene.school.insertClass("Choir")
            let before = try await scene.state()
            let long = String(repeating: "ก", count: 500)
            for change in [
                AddClass(name: " "), AddClass(name: long), AddClass(name: "A\u{7}"),
                AddClass(name: "A", classID: "a:b"), AddClass(name: "A", at: LocationReference("Nowhere")),
                AddClass(name: "A", students: [PersonReference("nobody")]),
            ] {
                await #expect(throws: (any Error).self) { try await scene.operator.perform(change) }
            }
            await #expect(throws: OperationError.refused("Choir is so already.")) {
                try await scene.operator.perform(EditClass(class: ClassReference("Choir")))
            }
            #expect(try await scene.state() == before)
        }
    }
}
