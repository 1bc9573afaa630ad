import Administration
import AdministrationExamples
import Directory
import Fixtures
import RosterFiles
import Storage
import TestSupport
import Testing

@Suite struct IDMapTests {
    /// Gives people ids, as an import would.
    private static func giveIDs(_ ids: [PersonID: String], in scene: Scene) async throws {
        try await scene.database.write { transaction in
            for (person, id) in ids {
                try transaction.execute("UPDATE person SET source_id = $2 WHERE id = $1", [person, id])
            }
        }
    }

    private static func failures(
        _ moves: [IDMove], in scene: Scene
    ) async throws -> [String] {
        do {
            _ = try await scene.operator.perform(ApplyIDMap(moves: moves), in: scene.maple)
            return []
        } catch OperationError.items(let failures) {
            return failures.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.kind.rawValue) \($0.value.detail)" }
        }
    }

    @Test(
        "a map is one entry of the trail, moves the ids, and is taken back by its number",
        arguments: TestDatabase.available)
    func applies(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let other = try await scene.school.insertPerson("other", .student)
            try await Self.giveIDs([scene.pupil.id: "1", other.id: "2"], in: scene)
            let (before, trail) = (try await scene.state(), try await scene.trail())
            let done = try await scene.operator.perform(
                ApplyIDMap(moves: [IDMove(.person, from: "1", to: "2"), IDMove(.person, from: "2", to: "1")]))
            #expect(done.answer.people == 2 && done.answer.classes == 0)
            let new = try await scene.trail().dropFirst(trail.count)
            #expect(new == ["operator roster.ids-mapped id-map:\(done.answer.map) done 2 people"])
            let moved = try await scene.operator.ask(ShowPerson(person: PersonReference("2")))
            #expect(moved.number == scene.pupil.id.rawValue)
            let effects = try await scene.operator.undo(try #require(done.change))
            #expect(effects.map(\.detail) == ["2 people"])
            // The changes are counted in each line.
            #expect(
                try await scene.state().map { $0.replacing(/\ [0-9]+$/, with: "") }
                    == before.map { $0.replacing(/\ [0-9]+$/, with: "") })
        }
    }

    @Test("a guess for one school compares the records of that school alone", arguments: TestDatabase.available)
    func guessesOfSchools(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            _ = try await scene.operator.perform(
                ImportRoster(.archive(try RosterTexts().archive())), in: scene.maple)
            try await Self.giveIDs([scene.pupil.id: "elsewhere"], in: scene)
            var new = RosterTexts()
            new.students = ["N-1,L-1,Ana,Núñez,,,4,,,", "N-2,L-1,Bo,Berg,,,4,,,"]
            new.rosters = ["1,K-1,N-1", "2,K-1,N-2"]
            let archive = try new.archive()
            func people(_ schools: [LocationReference]?) async throws -> Set<String> {
                let guess = GuessIDMap(archive: archive, schools: schools)
                let lines = try await scene.operator.perform(guess, in: scene.maple).answer.lines
                return Set(lines.filter { $0.kind == .person }.map(\.old))
            }
            // Whom an administrator has entered no import deactivates, so that nothing is to be decided.
            #expect(try await people(nil) == ["S-1", "S-2"])
            try await scene.database.write { transaction in
                try transaction.execute("UPDATE person SET source = 'csv' WHERE source_id = $1", ["elsewhere"])
            }
            #expect(try await people(nil) == ["S-1", "S-2", "elsewhere"])
            #expect(try await people([LocationReference("L-1")]) == ["S-1", "S-2"])
            for wrong in [[], [LocationReference("L-9")]] {
                await #expect(throws: OperationError.self) { try await people(wrong) }
            }
        }
    }

    @Test("each line that is wrong is named, and nothing moves", arguments: TestDatabase.available)
    func problems(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let kept = try await scene.school.insertPerson("kept", .student)
            let other = try await scene.school.insertPerson("other", .student)
            try await Self.giveIDs([scene.pupil.id: "1", kept.id: "2", other.id: "3"], in: scene)
            try await scene.database.write { transaction in
                let oak = try Organization.insert(
                    name: "Oak", kind: .school, at: scene.school.fixed.now, in: transaction)
                let stranger = try Person.insert(
                    in: oak.id, givenName: "S", familyName: "T", userName: "s@oak.example",
                    at: scene.school.fixed.now, in: transaction)
                try transaction.execute("UPDATE person SET source_id = 'oak-1' WHERE id = $1", [stranger.id])
            }
            let before = try await scene.state()
            let found = try await Self.failures(
                [
                    IDMove(.person, from: "1", to: "2"), IDMove(.person, from: "3", to: "x"),
                    IDMove(.person, from: "3", to: "y"), IDMove(.person, from: "9", to: "z"),
                    IDMove(.class, from: "1", to: "c"), IDMove(.person, from: "oak-1", to: "o"),
                ], in: scene)
            #expect(
                found == [
                    "0 refused “2” is the id of another person, PE-\(kept.id.rawValue), which does not move.",
                    "1 refused The person “3” is in the map more than once.",
                    "2 refused The person “3” is in the map more than once.",
                    "3 not-found There is no person with the id “9”.",
                    "4 not-found There is no class with the id “1”.",
                    "5 not-found There is no person with the id “oak-1”.",
                ])
            let twoToOne = try await Self.failures(
                [IDMove(.person, from: "1", to: "x"), IDMove(.person, from: "3", to: "x")], in: scene)
            #expect(twoToOne.count == 2 && twoToOne.allSatisfy { $0.contains("more than one person") })
            let invalid = ["", " ", "a\u{202E}b", "a\nb", "=1", String(repeating: "x", count: 257), "a,b"]
            for id in invalid {
                let found = try await Self.failures([IDMove(.person, from: "1", to: id)], in: scene)
                #expect(found.count == 1 && found[0].hasPrefix("0 invalid "), "\(id)")
            }
            #expect(try await scene.state() == before)
            // Another organization may use the id itself.
            #expect(try await Self.failures([IDMove(.person, from: "1", to: "oak-1")], in: scene) == [])
        }
    }

    @Test("a map that is empty, or moves nothing, is refused")
    func nothing() async throws {
        try await Scene.with(.sqlite) { scene in
            try await Self.giveIDs([scene.pupil.id: "1"], in: scene)
            await #expect(throws: OperationError.self) { try await scene.operator.perform(ApplyIDMap(moves: [])) }
            await #expect(throws: OperationError.refused("Each record of the map has its new id already.")) {
                try await scene.operator.perform(ApplyIDMap(moves: [IDMove(.person, from: "1", to: "1")]))
            }
            await #expect(throws: OperationError.notFound(.idMap, "7", in: "Maple District")) {
                try await scene.operator.perform(UndoIDMap(map: IDMapReference(7)))
            }
        }
    }

    @Test("decomposed and composed letters are one id, and names of 250 letters in any script move")
    func scripts() async throws {
        try await Scene.with(.sqlite) { scene in
            try await Self.giveIDs([scene.pupil.id: "mari\u{F1}a"], in: scene)
            let long = String(repeating: "語", count: 85)
            _ = try await scene.operator.perform(
                ApplyIDMap(moves: [IDMove(.person, from: "marin\u{303}a", to: long)]))
            let moved = try await scene.operator.ask(ShowPerson(person: PersonReference(long)))
            #expect(moved.number == scene.pupil.id.rawValue)
        }
    }

    @Test("two who apply maps of the same records at once: one gets it", arguments: TestDatabase.available)
    func atOnce(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            try await Self.giveIDs([scene.pupil.id: "1"], in: scene)
            let results = await withTaskGroup(of: Bool.self, returning: [Bool].self) { group in
                for new in ["a", "b", "c", "d"] {
                    group.addTask {
                        let map = ApplyIDMap(moves: [IDMove(.person, from: "1", to: new)])
                        return (try? await scene.operator.perform(map)) != nil
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.filter { $0 }.count == 1)
        }
    }

    @Test("thousands of moves are written in several statements", arguments: TestDatabase.available)
    func many(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let (organization, now) = (scene.school.organization.id, scene.school.fixed.now)
            try await scene.database.write { transaction in
                for number in 1...1_203 {
                    _ = try Person.insert(
                        in: organization, sourceID: "old-\(number)", givenName: "P", familyName: "\(number)",
                        userName: "p\(number)@maple.example", at: now, in: transaction)
                }
            }
            let map = ApplyIDMap(moves: (1...1_203).map { IDMove(.person, from: "old-\($0)", to: "new-\($0)") })
            #expect(map.takesLong)
            let done = try await scene.operator.perform(map)
            #expect(done.answer.people == 1_203)
            let moved = try await scene.database.read { transaction in
                try transaction.first(
                    "SELECT COUNT(*) FROM person WHERE source_id = 'new-' || family_name"
                ) { try $0[0] as Int }
            }
            #expect(moved == 1_203)
        }
    }
}
