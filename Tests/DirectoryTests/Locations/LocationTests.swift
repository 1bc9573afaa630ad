import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct LocationTests {
    @Test("a location is found in its own organization only", arguments: TestDatabase.available)
    func ownOrganization(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let maple = try await School.insert(in: database, name: "Maple")
            let oak = try await School.insert(in: database, name: "Oak")
            let (own, foreign) = try await database.read { transaction in
                (
                    try Location.find(maple.location.id, in: maple.organization.id, transaction),
                    try Location.find(maple.location.id, in: oak.organization.id, transaction)
                )
            }
            #expect(own == maple.location)
            #expect(foreign == nil)
        }
    }

    @Test(
        "pages follow each other without gap or repeat, and without archived or foreign ones",
        arguments: TestDatabase.available)
    func pages(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let maple = try await School.insert(in: database, name: "Maple")
            _ = try await School.insert(in: database, name: "Oak")
            var all = [maple.location.id]
            for index in 1..<7 { all.append(try await maple.insertLocation("Site \(index)").id) }
            let archived = all.remove(at: 3)
            try await database.write { try $0.execute("UPDATE location SET archived_at = 1 WHERE id = $1", [archived]) }

            var seen: [LocationID] = []
            repeat {
                let last = seen.last ?? .none
                let page = try await database.read {
                    try Location.page(of: maple.organization.id, after: last, limit: 2, in: $0)
                }
                guard let first = page.first else { break }
                try #require(first.id > last, "the crawl does not move on")
                #expect(page.count <= 2)
                seen += page.map(\.id)
            } while true
            #expect(seen == all)
        }
    }

    @Test("a bad field is refused", arguments: TestDatabase.available)
    func badField(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let organization = school.organization.id
            func insert(id: String? = nil, name: String = "Site", domain: String? = nil, zone: String? = nil)
                async throws
            {
                try await database.write { transaction in
                    _ = try Location.insert(
                        in: organization, sourceID: id, name: name, domainName: domain, timeZone: zone,
                        at: FixedSurroundings.start, in: transaction)
                }
            }
            await #expect(throws: DirectoryError.self) { try await insert(name: "") }
            await #expect(throws: DirectoryError.self) { try await insert(zone: "Europe/Atlantis") }
            await #expect(throws: DirectoryError.self) { try await insert(domain: "nowhere") }
            await #expect(throws: DirectoryError.self) { try await insert(id: "no:colons") }
            try await insert(id: "L-1", domain: "maple.example", zone: "Asia/Tokyo")
            let found = try await database.read { try Location.find(sourceID: "L-1", in: organization, $0) }
            #expect(found?.timeZone == "Asia/Tokyo")
            await #expect(throws: DatabaseError.self) { try await insert(id: "L-1") }
        }
    }
}
