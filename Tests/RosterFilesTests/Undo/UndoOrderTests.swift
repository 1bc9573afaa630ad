import Directory
import SeededNumbers
import Storage
import TestSupport
import Testing

@testable import RosterFiles

/// What may be taken back after what, and that it is exact in any order.
@Suite struct UndoOrderTests {
    @Test(
        "imports of several schools are taken back in any order in which nothing was built on them",
        arguments: TestDatabase.available)
    func anyOrder(_ kind: TestDatabase) async throws {
        var (takenBackEarly, refused) = (0, 0)
        for seed in [2, 5, 9, 16] as [UInt64] {
            let sequence = try await whole(kind, seed: seed)
            takenBackEarly += sequence.takenBackEarly
            refused += sequence.refused
        }
        #expect(takenBackEarly > 0, "some were taken back while later ones stood")
        #expect(refused > 0, "some were refused")
    }

    /// Imports and undos, until no import stands.
    private func whole(_ kind: TestDatabase, seed: UInt64) async throws -> UndoSequence {
        try await kind.with { database in
            var sequence = try await UndoSequence(in: database, seed: seed)
            let initial = try await sequence.state()
            for _ in 0..<24 { try await sequence.step() }
            while !sequence.standing.isEmpty { try await sequence.takeBackOne() }

            let rest = try await sequence.state()
            for (key, row) in initial.rows { #expect(rest.rows[key] == row, "\(seed)") }
            for (key, row) in rest.rows where initial.rows[key] == nil { #expect(State.isOutOfUse(row), "\(seed)") }
            for table in ["person", "role", "class", "student", "instructor", "course", "location"] {
                let left = try await sequence.district.select("SELECT CAST(COUNT(*) AS TEXT) FROM undo_\(table)")
                #expect(left == ["0"], "\(seed): \(table)")
            }
            // And the records are as good as new ones.
            #expect(try await sequence.district.force(sequence.random.files).outcome == .applied)
            #expect(try await sequence.district.apply(sequence.random.files).outcome == .nothingToDo)
            return sequence
        }
    }

    @Test("an import of one school is taken back below a later one of another", arguments: TestDatabase.available)
    func otherSchool(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await Self.twoSchools(in: database)
            let before = try await district.dump()
            let renamed = RosterTexts.example.replacing("Noor", with: "Nour", in: .students)
            let first = try #require(try await district.force(renamed.part(of: "LOC-10"), of: ["LOC-10"]).importID)
            let other = RosterTexts.example.replacing("Tomasz", with: "Thomas", in: .students)
            let second = try #require(try await district.force(other.part(of: "LOC-20"), of: ["LOC-20"]).importID)

            #expect(try await district.undo(first).importID == first)
            #expect(try await district.person("S-1001")?.givenName == "Noor")
            #expect(try await district.person("S-2001")?.givenName == "Thomas")
            await #expect(throws: RosterImportError.alreadyUndone(importID: first)) { try await district.undo(first) }
            #expect(try await district.undo(second).importID == second)
            #expect(try await district.dump() == before)
        }
    }

    @Test("somebody at both schools holds it back, and is named", arguments: TestDatabase.available)
    func personOfBoth(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await Self.twoSchools(in: database)
            let first = try #require(
                try await district.force(
                    RosterTexts.example.adding("T-9,,Max,,Both,,,LOC-10,", to: .staff).part(of: "LOC-10"),
                    of: ["LOC-10"]
                ).importID)
            let second = try #require(
                try await district.force(
                    RosterTexts.example.adding("T-9,,Max,,Both,,,LOC-20,", to: .staff).part(of: "LOC-20"),
                    of: ["LOC-20"]
                ).importID)
            let before = try await district.dump()
            let error = RosterImportError.touchedLater(
                importID: first, [TouchedRecord(.person, "T-9", importID: second)])
            await #expect(throws: error) { try await district.undo(first) }
            #expect("\(error)".contains("person T-9. Undo import \(second) first."))
            #expect(try await district.dump() == before)
            try await district.undo(second)
            try await district.undo(first)
            #expect(try await district.person("T-9")?.state == .deactivated)
        }
    }

    @Test(
        "what a later import has put into new places holds them in use, or has taken out of use holds things out of it",
        arguments: TestDatabase.available)
    func references(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            func force(_ files: RosterTexts) async throws -> Int {
                try #require(try await district.force(files).importID)
            }
            func refusal(of number: Int) async -> [String] {
                do {
                    _ = try await district.undo(number)
                    return []
                } catch RosterImportError.touchedLater(_, let records) {
                    return records.map { "\($0)" }
                } catch {
                    return ["\(error)"]
                }
            }
            // A new location, course and class, and then somebody in them.
            let places = RosterTexts.example.adding("LOC-30,Annex", to: .locations)
                .adding("C-NEW,1,New,LOC-30", to: .courses).adding("K-NEW,1,C-NEW,,,,LOC-30", to: .classes)
            let made = try await force(places)
            let filled = places.adding("S-9,LOC-30,New,Pupil,,,,,,,", to: .students)
                .adding("R-9,K-NEW,S-9", to: .rosters).adding("K-NEW2,1,C-NEW,,,,LOC-30", to: .classes)
            let used = try await force(filled)
            #expect(Set(await refusal(of: made)) == ["class K-NEW", "course C-NEW", "location LOC-30"])
            #expect(await refusal(of: used) == [])
            #expect(await refusal(of: made) == [])

            // A class moves from a course that is dropped by the next import.
            let moved = RosterTexts.example.adding("C-2,1,Other,LOC-20", to: .courses)
                .replacing("K-BIO8-1,1,C-BIO8", with: "K-BIO8-1,1,C-2", in: .classes)
            let course = try await force(moved)
            let dropped = try await force(moved.removing("C-BIO8,808,\"Biology 8\",LOC-20", from: .courses))
            #expect(await refusal(of: course) == ["course C-BIO8"])
            #expect(await refusal(of: dropped) == [])

            // Somebody leaves a class, and then the school; is in another, and then not.
            let left = moved.removing("R-000003,K-BIO8-1,S-2001", from: .rosters)
            let out = try await force(left)
            let gone = try await force(
                left.removing("S-2001,LOC-20,Tomasz,Lis,Jan,40230,8,tomasz.lis@birch.example,tlis,6,", from: .students))
            #expect(await refusal(of: out) == ["person S-2001"])
            #expect(await refusal(of: gone) == [])
            let back = try await force(moved)
            #expect(await refusal(of: out) == ["the membership of S-2001 in K-BIO8-1"])
            #expect(await refusal(of: back) == [])
            #expect(await refusal(of: out) == [])
        }
    }

    /// The example, as a district whose schools have files of their own from now on.
    private static func twoSchools(in database: any Database) async throws -> District {
        let district = try await District(in: database)
        try await district.apply(.example)
        for school in ["LOC-10", "LOC-20"] {
            try await district.force(RosterTexts.example.part(of: school), of: [school])
        }
        return district
    }
}

/// All rows that imports may change, by table and key.
private struct State {
    let rows: [String: String]
    /// The records that files name, by what ``TouchedRecord`` calls them.
    let keys: [String: String]

    init(_ dump: [String]) {
        var (rows, keys, names) = ([String: String](), [String: String](), [String: String]())
        for row in dump {
            let (table, cells) = Self.split(row)
            let key = "\(table) \(cells.prefix(Self.keyLengths[table] ?? 1).joined(separator: "|"))"
            rows[key] = row
            if Self.keyLengths[table] == nil {
                keys["\(table == "person" ? "person" : table) \(cells[2])"] = key
                names[key] = cells[2]
            }
        }
        for (key, row) in rows where key.hasPrefix("class_") {
            let cells = Self.split(row).cells
            let (person, one) = (names["person \(cells[1])"] ?? "", names["class \(cells[0])"] ?? "")
            keys["the membership of \(person) in \(one)"] = "member \(cells[0])|\(cells[1])"
        }
        self.rows = rows
        self.keys = keys
    }

    private static let keyLengths = ["role_assignment": 3, "class_student": 2, "class_instructor": 2]

    private static func split(_ row: String) -> (table: String, cells: [String]) {
        let space = row.firstIndex(of: " ")!  // dump() puts one after the table
        return (
            String(row[..<space]),
            row[row.index(after: space)...].split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        )
    }

    static func isOutOfUse(_ row: String) -> Bool {
        let (table, cells) = split(row)
        return table == "person" ? cells.contains("deactivated") : keyLengths[table] == nil && cells.last != "-"
    }

    /// The record that a row is part of: roles belong to their person.
    static func record(_ key: String) -> String {
        let (table, cells) = split(key)
        switch table {
        case "role_assignment": return "person \(cells[0])"
        case "class_student", "class_instructor": return "member \(cells[0])|\(cells[1])"
        default: return key
        }
    }

    /// The records to which a row refers.
    static func references(_ row: String) -> [String] {
        let (table, cells) = split(row)
        switch table {
        case "role_assignment": return ["location \(cells[1])"]
        case "class_student", "class_instructor": return ["class \(cells[0])", "person \(cells[1])"]
        case "course": return ["location \(cells[5])"]
        case "class": return ["course \(cells[3])", "location \(cells[4])"]
        default: return []
        }
    }
}

/// Imports and undos in random order, each checked against what the records were.
private struct UndoSequence {
    struct Import {
        let number: Int
        /// The rows that it has changed, as they were; nil for those that were not there.
        let before: [String: String?]
        let records: Set<String>
        let references: Set<String>
        /// What the classes of its memberships refer to, and so on.
        let surroundings: Set<String>
    }

    let district: District
    var random: RandomDistrict
    private var generator: SeededGenerator
    private var imports: [Import] = []
    private(set) var takenBackEarly = 0
    private(set) var refused = 0

    var standing: [Int] { imports.map(\.number) }

    init(in database: any Database, seed: UInt64) async throws {
        district = try await District(in: database)
        random = RandomDistrict(seed: seed)
        generator = SeededGenerator(seed: seed &+ 1_000)
        let (id, now) = (district.organization.id, district.now)
        try await database.write { transaction in
            for school in RandomDistrict.schools {
                _ = try Location.insert(in: id, sourceID: school, name: "School \(school)", at: now, in: transaction)
            }
        }
    }

    func state() async throws -> State { State(try await district.dump()) }

    mutating func step() async throws {
        if !imports.isEmpty, Int.random(in: 0..<3, using: &generator) == 0 { return try await takeBackOne() }
        // The files of all schools come rarely, since hardly anything can be taken back below them.
        let choice = Int.random(in: 0..<12, using: &generator)
        let school = choice < 1 ? nil : RandomDistrict.schools[choice % 3]
        random.change(oneIn: 24)
        let before = try await state()
        let files = random.files
        let report = try await district.force(school.map { files.part(of: $0) } ?? files, of: school.map { [$0] } ?? [])
        guard let number = report.importID else { return }
        let after = try await state()
        let changed = Set(before.rows.keys).union(after.rows.keys).filter { before.rows[$0] != after.rows[$0] }
        func references(of keys: Set<String>) -> Set<String> {
            Set(keys.flatMap { [before.rows[$0], after.rows[$0]] }.compactMap { $0 }.flatMap(State.references))
        }
        let direct = references(of: changed)
        imports.append(
            Import(
                number: number,
                before: Dictionary(uniqueKeysWithValues: changed.map { ($0, before.rows[$0]) }),
                records: Set(changed.map(State.record)), references: direct,
                surroundings: direct.union(references(of: direct))))
    }

    /// Takes any import back, or finds out that it must not be.
    mutating func takeBackOne() async throws {
        let index = imports.indices.randomElement(using: &generator)!  // there is one
        let (one, later) = (imports[index], imports[(index + 1)...])
        let touched = later.filter { !$0.records.isDisjoint(with: one.records) }
        let related = later.filter {
            !$0.references.isDisjoint(with: one.records) || !one.references.isDisjoint(with: $0.records)
        }
        let before = try await state()
        do {
            _ = try await district.undo(one.number)
            #expect(touched.isEmpty, "\(touched.map(\.number)) have touched what \(one.number) had changed")
            let now = try await state()
            for key in Set(before.rows.keys).union(now.rows.keys) {
                let row = now.rows[key]
                switch one.before[key] {
                case .some(.some(let former)): #expect(row == former, "\(one.number): \(key)")
                case .some(.none): #expect(row.map(State.isOutOfUse) ?? true, "\(one.number): \(key)")
                case .none: #expect(row == before.rows[key], "\(one.number): \(key)")
                }
            }
            takenBackEarly += later.isEmpty ? 0 : 1
            imports.remove(at: index)
        } catch RosterImportError.touchedLater(let number, let records) {
            #expect(number == one.number)
            #expect(!touched.isEmpty || !related.isEmpty, "\(one.number) could have been taken back: \(records)")
            #expect(!records.isEmpty)
            for record in records {
                let other = try #require(later.first { $0.number == record.importID })
                let key = try #require(before.keys["\(record)"] ?? one.key(of: record, before))
                #expect(one.records.union(one.surroundings).contains(key), "\(record)")
                #expect(other.records.union(other.surroundings).contains(key), "\(record)")
            }
            #expect(try await state().rows == before.rows)
            refused += 1
        }
    }
}

extension UndoSequence.Import {
    /// The key of a membership that is not there any more.
    fileprivate func key(of record: TouchedRecord, _ state: State) -> String? {
        guard let classID = record.classID, let one = state.keys["class \(classID)"],
            let person = state.keys["person \(record.id)"]
        else { return nil }
        return "member \(one.dropFirst("class ".count))|\(person.dropFirst("person ".count))"
    }
}
