import Administration
import AdministrationExamples
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct TermTests {
    private static let year = TermReference("2026/27")

    /// A term with a class at each place and one that is archived already, and a class without a term.
    private static func prepare(_ scene: Scene) async throws {
        _ = try await scene.operator.perform(
            AddTerm(name: "2026/27", firstDay: "2026-08-17", lastDay: "2027-07-02"))
        _ = try await scene.school.insertClass("Chess")
        for (name, place) in [("Choir", "Maple District Main"), ("Band", "Annex"), ("Former", "Annex")] {
            let made = try await scene.operator.perform(
                AddClass(name: name, at: LocationReference(place), students: [PersonReference(scene.pupil.id)]))
            var edit = EditClass(class: ClassReference("CL-\(made.answer.number)"))
            edit.term = year
            _ = try await scene.operator.perform(edit)
        }
        _ = try await scene.operator.perform(ArchiveClass(class: ClassReference("Former")))
        scene.school.fixed.advance(by: 60)
    }

    private static func classes(of scene: Scene) async throws -> [String] {
        try await scene.database.read { try Scene.classes(in: $0) }
    }

    @Test(
        "closing archives the classes of a term, school by school, and is taken back exactly",
        arguments: TestDatabase.available)
    func closes(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            try await Self.prepare(scene)
            let before = try await Self.classes(of: scene)
            let preview = try await scene.operator.preview(CloseTerm(term: Self.year))
            #expect(preview.effects.map(\.name) == ["2026/27", "Maple District Main", "Annex"])
            #expect(preview.effects.dropFirst().allSatisfy { $0.detail.hasPrefix("1 class archived: CL-") })
            #expect(try await Self.classes(of: scene) == before)

            let closed = try await scene.operator.perform(CloseTerm(term: Self.year))
            #expect(closed.answer.classes == 0 && closed.answer.closedAt == scene.school.fixed.now)
            #expect(try await scene.operator.ask(ListClasses()).classes.map(\.name) == ["Chess"])
            #expect(
                try await scene.operator.ask(ListClasses(archived: true, term: Self.year)).classes.map(\.name)
                    == ["Choir", "Band", "Former"])
            _ = try await scene.operator.undo(try #require(closed.change))
            #expect(try await Self.classes(of: scene) == before)
        }
    }

    @Test("a manager of one place closes the terms of that place alone")
    func places() async throws {
        try await Scene.with(.sqlite) { scene in
            try await Self.prepare(scene)
            let manager = try await scene.holder(of: .manager, at: scene.annex.id)
            let administrator = scene.administrator(.person(manager.id))
            await #expect(throws: OperationError.forbidden(.manageClasses)) {
                try await administrator.perform(CloseTerm(term: Self.year))
            }
            _ = try await administrator.perform(
                AddTerm(
                    name: "Spring", firstDay: "2027-02-01", lastDay: "2027-07-02", at: LocationReference("Annex")))
            var edit = EditClass(class: ClassReference("Band"))
            edit.term = TermReference("Spring")
            _ = try await administrator.perform(edit)
            edit = EditClass(class: ClassReference("Choir"))
            edit.term = TermReference("Spring")
            await #expect(
                throws: OperationError.refused("Spring is a term of another location than Choir.")
            ) { try await scene.operator.perform(edit) }
            #expect(try await administrator.perform(CloseTerm(term: TermReference("Spring"))).effects.count == 2)
        }
    }

    @Test("bad input says what is wrong, and changes nothing")
    func badInput() async throws {
        try await Scene.with(.sqlite) { scene in
            try await Self.prepare(scene)
            let before = try await scene.state()
            for (first, last) in [
                ("2027-02-29", "2027-07-02"), ("2027-08-01", "2027-07-31"), ("1.8.2027", "2028-07-02"), ("", ""),
            ] {
                await #expect(throws: (any Error).self) {
                    try await scene.operator.perform(AddTerm(name: "New", firstDay: first, lastDay: last))
                }
            }
            await #expect(throws: OperationError.refused("There is a term “2026/27” already. Choose another name.")) {
                try await scene.operator.perform(
                    AddTerm(name: "2026/27", firstDay: "2026-08-17", lastDay: "2027-07-02"))
            }
            await #expect(throws: OperationError.refused("2026/27 is not closed.")) {
                try await scene.operator.perform(ReopenTerm(term: Self.year))
            }
            #expect(try await scene.state() == before)
            #expect(CalendarDay("2028-02-29") != nil && CalendarDay("2100-02-29") == nil)
            for text in [
                "", "2026-8-17", "2026-08-17 ", "2026/08/17", "+026-08-17", "２０２６-08-17", "2026-08-1٣", "2026-13-01",
                "2026-04-31", "1899-12-31", "3000-01-01",
            ] {
                #expect(CalendarDay(text) == nil, "\(text)")
            }
        }
    }
}
