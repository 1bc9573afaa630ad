import Directory
import Storage
import TestSupport
import Testing

@testable import RosterFiles

@Suite struct ApprovalTests {
    static let rows = (1...40).map { "S-\(5_000 + $0),LOC-10,Pupil,Number\($0),,,,,,," }
    /// 44 students.
    static let larger = rows.reduce(RosterTexts.example) { $0.adding($1, to: .students) }

    @Test("an empty students.csv is held until an administrator approves", arguments: TestDatabase.available)
    func emptyStudents(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let files = RosterTexts.example.emptying(.students).emptying(.rosters)
            let before = try await district.dump()

            let held = try await district.apply(files)
            #expect(held.outcome == .held)
            // Both classes would change: they lose their students.
            #expect(held.held.map(\.rule) == [.empty, .changed, .empty])
            #expect(held.held.map(\.type) == [.students, .classes, .memberships])
            #expect(try await district.dump() == before)

            let applied = try await district.apply(files, approval: held.planID)
            #expect(applied.outcome == .applied)
            #expect(
                applied.counts.texts == [
                    .students: "+0 ~0 -4 ^0 =0", .classes: "+0 ~2 -0 ^0 =0", .memberships: "+0 ~0 -4 ^0 =0",
                ])
        }
    }

    @Test(
        "an import that was held waits no more when the next one finds nothing to do",
        arguments: TestDatabase.available)
    func waitsNoMore(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let id = district.organization.id
            try await district.apply(.example)
            try await district.apply(.example.emptying(.students).emptying(.rosters))
            #expect(try await database.read { try HeldImport.list(of: id, in: $0).count } == 1)
            for _ in 0..<2 { #expect(try await district.apply(.example).outcome == .nothingToDo) }
            #expect(try await database.read { try HeldImport.list(of: id, in: $0) } == [])
            let entries = try await district.select("SELECT detail FROM audit_entry WHERE detail = 'nothing to do'")
            #expect(entries.count == 1)
        }
    }

    @Test(
        "somebody is told when an import is held, and again only for another plan", arguments: TestDatabase.available)
    func tells(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            try await district.execute("CREATE TABLE told (leaving INTEGER NOT NULL)")
            func held(_ files: RosterTexts) async throws -> [String] {
                let report = try await district.apply(
                    files,
                    onHeld: { counts, _, transaction in
                        try transaction.execute(
                            "INSERT INTO told (leaving) VALUES ($1)", [counts.students.deactivated])
                    })
                #expect(report.outcome == .held)
                return try await district.select("SELECT CAST(leaving AS TEXT) FROM told")
            }
            let nobody = RosterTexts.example.emptying(.students).emptying(.rosters)
            #expect(try await held(nobody) == ["4"])
            #expect(try await held(nobody) == ["4"])
            #expect(try await held(nobody.emptying(.classes)) == ["4", "4"])
            #expect(try await held(nobody) == ["4", "4", "4"])
        }
    }

    @Test("a small school need not approve each pupil who leaves", arguments: TestDatabase.available)
    func few(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            #expect(try await district.apply(MissingAndBackTests.withoutLis).outcome == .applied)
            try await district.apply(.example)
            try await setThresholds(of: district, removed: 0, changed: 100)
            #expect(try await district.apply(MissingAndBackTests.withoutLis).held.map(\.rule) == [.removed, .removed])
        }
    }

    @Test(
        "up to three people and thirty memberships may leave, if they are not more than half, but no location",
        arguments: [
            (RecordType.students, 3, 6, false), (.students, 3, 5, true), (.staff, 4, 20, true),
            (.classes, 3, 20, false), (.memberships, 30, 60, false), (.memberships, 31, 80, true),
            (.locations, 1, 5, true),
        ] as [(RecordType, Int, Int, Bool)])
    func floor(type: RecordType, gone: Int, existing: Int, isHeld: Bool) {
        var count = RecordCounts()
        count.inFile = existing - gone
        count.existing = existing
        count.deactivated = gone
        var counts = ImportCounts()
        switch type {
        case .locations: counts.locations = count
        case .students: counts.students = count
        case .staff: counts.staff = count
        case .courses: counts.courses = count
        case .classes: counts.classes = count
        case .memberships: counts.memberships = count
        }
        #expect(ImportThresholds.standard.reasons(toHold: counts).isEmpty == !isHeld)
    }

    @Test("new numbers for all memberships are not held", arguments: TestDatabase.available)
    func newRosterIDs(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let report = try await district.apply(.example.replacing("R-00000", with: "N-", in: .rosters))
            #expect(report.outcome == .applied)
            #expect(report.counts.texts == [.memberships: "+0 ~4 -0 ^0 =0"])
        }
    }

    @Test("an empty file is held even where everything may go away", arguments: TestDatabase.available)
    func emptyDespiteThreshold(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            try await setThresholds(of: district, removed: 100, changed: 100)
            #expect(try await district.apply(.example.emptying(.students).emptying(.rosters)).outcome == .held)
        }
    }

    @Test("up to a tenth of a type may go away, and no more", arguments: TestDatabase.available)
    func removed(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            #expect(try await district.apply(Self.larger).outcome == .applied)
            // 4 of 44 are less than a tenth, 5 are more.
            let four = Self.rows.prefix(4).reduce(Self.larger) { $0.removing($1, from: .students) }
            let five = Self.rows.prefix(5).reduce(Self.larger) { $0.removing($1, from: .students) }
            let held = try await district.apply(five)
            #expect(held.outcome == .held)
            #expect(
                held.held == [HeldReason(rule: .removed, type: .students, count: 5, existing: 44, percentMax: 10)])
            #expect(try await district.apply(four).outcome == .applied)
        }
    }

    @Test(
        "up to three quarters of a type may change, or what the organization has set", arguments: TestDatabase.available
    )
    func changed(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let three = ["T-0007,9000", "T-0008,9000", "T-0009,9000"].reduce(RosterTexts.example) {
                $0.replacing($1, with: $1 + "0", in: .staff)
            }
            #expect(try await district.plan(three).held.map(\.rule) == [.changed])
            try await setThresholds(of: district, removed: 10, changed: 100)
            #expect(try await district.apply(three).outcome == .applied)
        }
    }

    @Test("an approval is void once the organization has changed", arguments: TestDatabase.available)
    func staleApproval(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let files = RosterTexts.example.emptying(.students).emptying(.rosters)
            let shown = try await district.plan(files)
            district.advance()
            let person = try #require(try await district.person("T-0009"))
            let now = district.now
            try await database.write { try person.deactivate(at: now, in: $0) }

            let report = try await district.apply(files, approval: shown.planID)
            #expect(report.outcome == .held)
            #expect(report.held.map(\.rule).last == .staleApproval)
            #expect(report.planID != shown.planID)
            #expect(try await district.apply(files, approval: report.planID).outcome == .applied)
        }
    }

    @Test("an approval is for its files only", arguments: TestDatabase.available)
    func otherFiles(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let shown = try await district.plan(.example.emptying(.students).emptying(.rosters))
            let harmless = RosterTexts.example.replacing("Noor", with: "Nora", in: .students)
            #expect(try await district.apply(harmless, approval: shown.planID).held.map(\.rule) == [.staleApproval])
        }
    }

    @Test("a plan changes nothing and shows what applying it does", arguments: TestDatabase.available)
    func planOnly(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let plan = try await district.plan(.example)
            #expect(plan.outcome == .planned)
            #expect(try await district.dump() == [])
            let applied = try await district.apply(.example, approval: plan.planID)
            #expect(applied.outcome == .applied)
            #expect(applied.counts == plan.counts)
            #expect(applied.planID == plan.planID)
        }
    }

    private func setThresholds(of district: District, removed: Int, changed: Int) async throws {
        let id = district.organization.id
        let thresholds = try ImportThresholds(removedPercent: removed, changedPercent: changed)
        try await district.database.write { try thresholds.put(for: id, in: $0) }
    }
}
