import Directory
import Storage
import TestSupport
import Testing

@testable import RosterFiles

/// When imports of one school are held, and for how long.
@Suite struct SchoolApprovalTests {
    /// 10 pupils at the primary school, 202 at the secondary one.
    private static let large = (1...200).reduce(RosterTexts.example) {
        $0.adding("S-\(5_000 + $1),LOC-20,Pupil\($1),Number\($1),,,,,,,", to: .students)
    }.adding(contentsOf: (1...7).map { "S-\(4_000 + $0),LOC-10,Little\($0),Number\($0),,,,,,," }, to: .students)

    private static let primary = large.part(of: "LOC-10")
    private static let without = (1...5).reduce(primary) {
        $0.removing("S-\(4_000 + $1),LOC-10,Little\($1),Number\($1),,,,,,", from: .students)
    }

    private static func district(in database: any Database) async throws -> District {
        let district = try await District(in: database)
        try await district.apply(large)
        return district
    }

    @Test("what a school may lose is measured by what the school has", arguments: TestDatabase.available)
    func thresholds(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await Self.district(in: database)
            let held = try await district.apply(Self.without, of: ["LOC-10"])
            #expect(held.outcome == .held)
            #expect(
                held.held == [
                    HeldReason(
                        rule: .removed, type: .students, count: 5, existing: 10, percentMax: 10,
                        school: "Birch Lane Primary")
                ])
            #expect(
                held.held.first?.description
                    == "5 of 10 students of Birch Lane Primary would go away; up to 10 % go without approval.")
            let empty = try await district.plan(
                Self.primary.emptying(.staff).replacing(
                    "T-0007,T-0009,", with: ",,", in: .classes), of: ["LOC-10"])
            #expect(empty.held.map(\.rule) == [.empty, .changed] && empty.held.map(\.type) == [.staff, .classes])
            #expect(empty.held.first?.description == "The files name no staff, and Birch Lane Primary has 2.")
            // The same five are few among all.
            let all = (1...5).reduce(Self.large) {
                $0.removing("S-\(4_000 + $1),LOC-10,Little\($1),Number\($1),,,,,,,", from: .students)
            }
            #expect(try await district.plan(all).held == [])
        }
    }

    @Test(
        "an approval is for one school, stands while others import, and falls with the school's records",
        arguments: TestDatabase.available)
    func approvals(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await Self.district(in: database)
            let id = try #require(try await district.apply(Self.without, of: ["LOC-10"]).planID)
            #expect(try await district.plan(Self.without, of: ["LOC-10"]).planID == id)
            let both = try await district.plan(Self.large, of: ["LOC-10", "LOC-20"]).planID
            #expect(try await district.plan(Self.large).planID != both)

            let other = Self.large.part(of: "LOC-20").replacing("Tomasz,Lis,Jan", with: "Tomasz,Lis,", in: .students)
            #expect(try await district.apply(other, approval: id, of: ["LOC-20"]).held.map(\.rule) == [.staleApproval])
            #expect(try await district.apply(other, of: ["LOC-20"]).outcome == .applied)
            #expect(try await district.plan(Self.without, of: ["LOC-10"]).planID == id)

            let (organization, now) = (district.organization.id, district.now)
            try await database.write { transaction in
                let pupil = try #require(try Person.find(sourceID: "S-4001", in: organization, transaction))
                try transaction.execute(
                    "UPDATE person SET given_name = 'Lea', modified_at = $2 WHERE id = $1", [pupil.id, now])
            }
            let stale = try await district.apply(Self.without, approval: id, of: ["LOC-10"])
            #expect(stale.held.map(\.rule) == [.removed, .staleApproval])
            let applied = try await district.apply(Self.without, approval: stale.planID, of: ["LOC-10"])
            #expect(applied.outcome == .applied)
        }
    }

    @Test("what waits for one school waits for it alone", arguments: TestDatabase.available)
    func waiting(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await Self.district(in: database)
            let id = district.organization.id
            func waiting() async throws -> [Set<Int64>] {
                try await database.read { try HeldImport.list(of: id, in: $0).map { Set($0.schools.map(\.rawValue)) } }
            }
            func mails(_ files: RosterTexts, _ schools: [String]) async throws -> Int {
                try await district.apply(
                    files, of: schools,
                    onHeld: { _, schools, transaction in
                        try transaction.execute("INSERT INTO told (schools) VALUES ($1)", [schools ?? "all"])
                    })
                return try await district.select("SELECT schools FROM told").count
            }
            try await district.execute("CREATE TABLE told (schools TEXT NOT NULL)")
            let secondary = Self.large.part(of: "LOC-20")
            #expect(try await mails(Self.without, ["LOC-10"]) == 1)
            #expect(try await mails(secondary.emptying(.rosters), ["LOC-20"]) == 2)
            #expect(try await mails(Self.without, ["LOC-10"]) == 2, "the same plan as the night before")
            #expect(try await waiting() == [[1], [2]])
            #expect(try await mails(secondary, ["LOC-20"]) == 2)
            #expect(try await waiting() == [[1]])
            #expect(try await mails(Self.large.emptying(.rosters), []) == 3)
            #expect(try await waiting() == [[], [1]])
            #expect(try await mails(Self.primary, ["LOC-10"]) == 3)
            #expect(try await waiting() == [])

            #expect(try await mails(Self.without, ["LOC-10"]) == 4)
            #expect(try await mails(Self.large, []) == 4)
            #expect(try await waiting() == [], "the files of the whole organization are the school's too")
        }
    }

    @Test("an id of another school's person under another name is held", arguments: TestDatabase.available)
    func identities(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await Self.district(in: database)
            let files = Self.primary.adding("S-2001,LOC-10,Emil,Weber,,,3,,eweber,", to: .students)
            let held = try await district.apply(files, of: ["LOC-10"])
            #expect(held.held.map(\.rule) == [.replaced])
            #expect(held.identities.listed.map(\.formerName) == ["Tomasz Lis"])
            #expect(held.held.first?.existing == 12)
            #expect(try await district.apply(files, approval: held.planID, of: ["LOC-10"]).outcome == .held)
            let applied = try await district.apply(files, identities: held.planID, of: ["LOC-10"])
            #expect(applied.outcome == .applied)
            #expect(try await district.roles("S-2001") == ["student LOC-10 2", "student LOC-20 1"])
        }
    }
}

extension RosterTexts {
    fileprivate func adding(contentsOf lines: [String], to file: RosterFile) -> RosterTexts {
        lines.reduce(self) { $0.adding($1, to: file) }
    }
}
