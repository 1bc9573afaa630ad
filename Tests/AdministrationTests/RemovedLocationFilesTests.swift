import Administration
import AdministrationExamples
import Authorization
import Directory
import Fixtures
import RosterFiles
import Storage
import TestSupport
import Testing

/// What files do with a removed location, and with what belongs to it.
@Suite struct RemovedLocationFilesTests {
    @Test(
        "an import brings a removed location back whose files name it; taking an import back, one where its people are again",
        arguments: TestDatabase.available)
    func imports(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            var files = RosterTexts()
            files.locations.append("L-2,Maple Middle")
            files.students.append("S-3,L-2,Cy,Cruz,,,4,,,")
            try await scene.importRoster(files)
            let middle = LocationReference("L-2")
            // The pupil goes to the other school, and nobody is left at this one.
            files.students[2] = "S-3,L-1,Cy,Cruz,,,4,,,"
            let moved = try await scene.importApproved(files)
            let removed = try await scene.operator.perform(RemoveLocation(location: middle), in: scene.maple)
            #expect(removed.answer.source == .csv)
            let again = try await scene.importApproved(files)
            #expect(again.answer.outcome == .applied)
            #expect(try await scene.locationNames().contains("Maple Middle"))
            _ = try await scene.operator.undo(try #require(again.change))
            #expect(try await scene.locationNames(removed: true) == ["Maple Middle"])
            _ = try await scene.operator.undo(try #require(moved.change))
            #expect(try await scene.locationNames().contains("Maple Middle"))
            let pupils = try await scene.operator.ask(ListPeople(at: middle), in: scene.maple).people
            #expect(pupils.map(\.fullName) == ["Cy Cruz"])
        }
    }

    /// Files of two schools, and a class at the first one whose course belongs to the second.
    private static var twoSchools: RosterTexts {
        var files = RosterTexts()
        files.locations.append("L-2,Maple Middle")
        files.courses.append("C-2,2,Music,L-2")
        files.classes.append("K-2,1,C-2,T-1,L-1")
        files.rosters.append("3,K-2,S-1")
        return files
    }

    @Test(
        "a class comes back to no course of a removed location, whether alone or with its term",
        arguments: TestDatabase.available)
    func courses(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            _ = try await scene.operator.perform(
                AddTerm(name: "Autumn", firstDay: "2026-08-17", lastDay: "2027-07-02"), in: scene.maple)
            try await scene.importRoster(Self.twoSchools, term: "Autumn")
            let middle = LocationReference("L-2")
            let remove = RemoveLocation(location: middle)
            let music = ClassReference("K-2")
            let name = try await scene.operator.ask(ShowClass(class: music), in: scene.maple).name
            await #expect(throws: OperationError.self) { try await scene.operator.perform(remove, in: scene.maple) }
            let archived = try await scene.operator.perform(ArchiveClass(class: music), in: scene.maple)
            _ = try await scene.operator.perform(remove, in: scene.maple)
            let id = try await scene.operator.ask(ListLocations(removed: true), in: scene.maple).locations[0].id
            let toDo = OperationError.refused(
                "Maple Middle, to which the course of \(name) belongs, was removed. Restore the location first.",
                remedy: .init(RestoreLocation.name, id))
            await #expect(throws: toDo) {
                try await scene.operator.preview(RestoreClass(class: music), in: scene.maple)
            }
            await #expect(throws: toDo) { try await scene.operator.undo(try #require(archived.change)) }
            _ = try await scene.operator.perform(RestoreLocation(location: middle), in: scene.maple)
            _ = try await scene.operator.undo(try #require(archived.change))

            _ = try await scene.operator.perform(CloseTerm(term: TermReference("Autumn")), in: scene.maple)
            _ = try await scene.operator.perform(remove, in: scene.maple)
            let reopen = ReopenTerm(term: TermReference("Autumn"))
            let error = await #expect(throws: OperationError.self) {
                try await scene.operator.preview(reopen, in: scene.maple)
            }
            guard case .refused(let words, let remedy?) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(words.hasPrefix("Classes of Autumn, or their courses, are at Maple Middle, which was removed: CL-"))
            #expect(remedy.operation == RestoreLocation.name && remedy.subject == id)
            _ = try await scene.operator.perform(RestoreLocation(location: middle), in: scene.maple)
            _ = try await scene.operator.perform(reopen, in: scene.maple)
            #expect(try await scene.operator.ask(ShowClass(class: music), in: scene.maple).archivedAt == nil)
        }
    }

    @Test(
        "taking an import back that has moved a course brings its location back, also for a class that is elsewhere",
        arguments: TestDatabase.available)
    func movedCourse(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            var files = Self.twoSchools
            try await scene.importRoster(files)
            files.courses[1] = "C-2,2,Music,L-1"
            let moved = try await scene.importApproved(files)
            _ = try await scene.operator.perform(
                RemoveLocation(location: LocationReference("L-2")), in: scene.maple)
            _ = try await scene.operator.undo(try #require(moved.change))
            #expect(try await scene.locationNames(removed: true).isEmpty)
            #expect(try await scene.importRoster(Self.twoSchools).answer.outcome == .nothingToDo)
        }
    }

    @Test(
        "files of one school bring nobody back to another one that is removed, and cannot be of both",
        arguments: TestDatabase.available)
    func filesOfOneSchool(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            var files = Self.twoSchools
            files.students.append("S-3,L-2,Cy,Cruz,,,4,,,")
            try await scene.importRoster(files)
            let found = try await scene.operator.ask(ListPeople(at: LocationReference("L-2")), in: scene.maple).people
            let cy = PersonReference("PE-\(try #require(found.first).number)")
            // The pupil leaves; the record keeps the role of the last files.
            files.students.removeLast()
            files.courses[1] = "C-2,2,Music,L-1"
            _ = try await scene.importApproved(files)
            _ = try await scene.operator.perform(
                RemoveLocation(location: LocationReference("L-2")), in: scene.maple)
            var first = files
            first.locations.removeLast()
            first.students.append("S-3,L-1,Cy,Cruz,,,4,,,")
            for schools in [["L-2"], ["L-1", "L-2"]] {
                let error = await #expect(throws: OperationError.self) {
                    try await scene.importRoster(first, schools: schools)
                }
                #expect("\(String(describing: error))".contains("Maple Middle was removed. It comes back when"))
            }
            var done = try await scene.importRoster(first, schools: ["L-1"])
            if done.answer.outcome == .held {
                done = try await scene.importRoster(first, approving: done.answer.planID, schools: ["L-1"])
            }
            #expect(done.answer.outcome == .applied, "\(done.answer)")
            let person = try await scene.operator.ask(ShowPerson(person: cy), in: scene.maple)
            #expect(person.state != .deactivated)
            #expect(person.roles.map(\.location) == ["Maple Elementary"])
            #expect(try await scene.locationNames(removed: true) == ["Maple Middle"])
        }
    }

    @Test(
        "an import that waits for approval keeps its school, and one of all schools is approved for what there is then",
        arguments: TestDatabase.available)
    func heldImports(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            var files = RosterTexts()
            files.locations.append("L-2,Maple Middle")
            try await scene.importRoster(files)
            let remove = RemoveLocation(location: LocationReference("L-2"))
            var coming = files
            coming.locations.removeFirst()
            coming.students = ["S-9,L-2,Ida,Ito,,,4,,,"]
            coming.staff = ["T-9,,Theo,,Tanner,,,L-2"]
            coming.courses = ["C-9,1,Art,L-2"]
            coming.classes = ["K-9,1,C-9,T-9,L-2"]
            coming.rosters = ["9,K-9,S-9"]
            let held = try await scene.importRoster(coming, schools: ["L-2"], hold: true)
            let plan = try #require(held.answer.planID)
            #expect(held.answer.outcome == .held)
            let error = await #expect(throws: OperationError.self) {
                try await scene.operator.perform(remove, in: scene.maple)
            }
            #expect(
                "\(String(describing: error))".contains(
                    "Maple Middle is in use: its import waits for approval: \(plan). First discard the import."))
            _ = try await scene.operator.perform(DiscardImport(import: ImportReference(plan)), in: scene.maple)
            _ = try await scene.operator.perform(remove, in: scene.maple)
            _ = try await scene.operator.perform(
                RestoreLocation(location: LocationReference("L-2")), in: scene.maple)

            // What waits for all schools does not keep one of them. Whoever approves it then approves something else.
            var all = files
            all.students.append("S-9,L-2,Ida,Ito,,,4,,,")
            let waiting = try await scene.importRoster(all, hold: true)
            _ = try await scene.operator.perform(remove, in: scene.maple)
            let stale = try await scene.importRoster(all, approving: waiting.answer.planID)
            #expect(stale.answer.outcome == .held && stale.answer.planID != waiting.answer.planID)
            #expect(try await scene.locationNames(removed: true) == ["Maple Middle"])
            let applied = try await scene.importRoster(all, approving: stale.answer.planID)
            #expect(applied.answer.outcome == .applied)
            #expect(try await scene.locationNames(removed: true).isEmpty)
        }
    }

    @Test("an import of one school waits no more for a school that is removed, and one of it is refused")
    func schools() async throws {
        try await Scene.with(.sqlite) { scene in
            let added = try await scene.operator.perform(AddLocation(name: "Middle", locationID: "L-9"))
            _ = try await scene.operator.perform(RemoveLocation(location: LocationReference("L-9")))
            let error = await #expect(throws: OperationError.self) {
                try await scene.operator.perform(SetPickUp(school: LocationReference("L-9"), hour: 2))
            }
            guard case .refused(let words, let remedy?) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(words.hasPrefix("Middle was removed.") && remedy.operation == RestoreLocation.name)
            #expect(try await scene.operator.ask(ListPickUps(), in: scene.maple).pickUps.isEmpty)
            #expect(added.answer.removedAt == nil)
        }
    }
}
