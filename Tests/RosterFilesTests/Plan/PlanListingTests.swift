import Storage
import TestSupport
import Testing

@testable import RosterFiles

@Suite struct PlanListingTests {
    private func list(
        _ district: District, _ files: RosterTexts, newPeople: Set<String> = [],
        _ query: PlanListing.Query = PlanListing.Query()
    ) async throws -> PlanListing {
        try #require(try await district.plan(files, newPeople: newPeople, show: query).listing)
    }

    private static let files = UndoTests.everything
        .replacing("S-1002,LOC-10,\"Ana María\",Ruiz", with: "S-1002,LOC-10,Emil,Weber", in: .students)

    @Test("a plan names who comes, changes what, and leaves", arguments: TestDatabase.available)
    func people(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let listing = try await list(district, Self.files, newPeople: ["S-1002"])
            #expect(
                listing.people.map { "\($0.effect.rawValue) \($0.personID ?? "-") \($0.name)" } == [
                    "changes S-1001 Nour Haddad", "comes_instead S-1002 Emil Weber", "comes S-3001 New Pupil",
                    "changes T-0007 Ines Okafor", "changes T-0008 Paul Meyer", "leaves S-1002 Ana María Ruiz",
                    "leaves S-2001 Tomasz Lis", "leaves T-0009 Rita Sand",
                ])
            #expect(
                listing.people[0].changes.map { "\($0.field): \($0.before ?? "-") > \($0.after ?? "-")" } == [
                    "first_name: Noor > Nour", "middle_name: - > A", "email_address: - > n@birch.example",
                    "grade_level: 1 > 2", "person_number: 40017 > 1", "sis_username: nhaddad > nh",
                    "password_policy: 4 > 6", "role: - > Student, Annex",
                ])
            #expect(listing.people[0].schools == ["Birch Lane School", "Annex"])
            #expect(listing.people[0].line == 2)
            #expect(listing.people[6].schools == ["Harbour Secondary"])
            #expect(listing.next == nil)
            let annex = try #require(listing.schools.first { $0.locationID == "LOC-30" })
            #expect(annex.people == ["comes": 1, "changes": 2])
        }
    }

    @Test("it comes in pages, of one kind and one school if that is asked for", arguments: TestDatabase.available)
    func pages(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            var (seen, after): ([String], Int?) = ([], 0)
            while let start = after {
                let page = try await list(district, Self.files, PlanListing.Query(after: start, limit: 2))
                #expect(page.people.count <= 2)
                seen += page.people.compactMap(\.personID)
                after = page.next
            }
            #expect(seen == ["S-1001", "S-1002", "S-3001", "T-0007", "T-0008", "S-2001", "T-0009"])
            let leaving = try await list(
                district, Self.files, PlanListing.Query(effects: [.leaves], location: "LOC-20"))
            #expect(leaving.people.map(\.personID) == ["S-2001"])
            let coming = try await list(district, Self.files, PlanListing.Query(effects: [.comes], location: "LOC-10"))
            #expect(coming.people == [])
            #expect(try await district.plan(Self.files).listing == nil)
        }
    }

    @Test("whoever is in a plan is there for a reason that can be read", arguments: TestDatabase.available)
    func places(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let row = "S-1001,LOC-10,Noor,Haddad,,40017,1,,nhaddad,4,"
            try await district.apply(.example.replacing(row, with: row + "LOC-20", in: .students))
            let turned = row.replacing("LOC-10", with: "LOC-20") + "LOC-10"
            let listing = try await list(district, .example.replacing(row, with: turned, in: .students))
            #expect(listing.people.map(\.personID) == ["S-1001"])
            let changes = listing.people[0].changes.map { "\($0.field): \($0.before ?? "-") > \($0.after ?? "-")" }
            #expect(
                Set(changes) == [
                    "position of Student, Birch Lane Primary in the row: 1 > 2",
                    "position of Student, Harbour Secondary in the row: 2 > 1",
                ])
        }
    }

    @Test("names stand in the order of where they come from")
    func order() async throws {
        try await TestDatabase.sqlite.with { database in
            let district = try await District(in: database)
            let files = RosterTexts.example.adding("S-7,LOC-10,민준,김,,,,,,,", to: .students)
            let listing = try await list(district, files, PlanListing.Query(location: "LOC-10"))
            #expect(listing.people.map(\.name).contains("김민준"))
        }
    }
}
