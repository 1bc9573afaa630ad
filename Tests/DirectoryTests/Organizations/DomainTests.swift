@testable import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct DomainTests {
    private let verified = Date(timeIntervalSince1970: 1_700_000_000)

    @Test("many may claim a domain, one may verify it", arguments: TestDatabase.available)
    func verifiedByOne(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let maple = try await School.insert(in: database, name: "Maple").organization.id
            let oak = try await School.insert(in: database, name: "Oak").organization.id
            try await database.write { try Domain.put("Shared.example", verifiedAt: nil, of: maple, in: $0) }
            try await database.write { try Domain.put("shared.example", verifiedAt: nil, of: oak, in: $0) }
            try await database.write { try Domain.put("shared.example", verifiedAt: verified, of: maple, in: $0) }
            await #expect(throws: DirectoryError.domainTaken("shared.example")) {
                try await database.write { try Domain.put("SHARED.example", verifiedAt: verified, of: oak, in: $0) }
            }
            let (ofMaple, ofOak) = try await database.read {
                (try Domain.list(of: maple, in: $0), try Domain.list(of: oak, in: $0))
            }
            #expect(ofMaple == [Domain(name: "shared.example", verifiedAt: verified)])
            #expect(ofOak == [Domain(name: "shared.example", verifiedAt: nil)])
        }
    }

    @Test("of two who verify a domain at once, one succeeds", arguments: TestDatabase.available)
    func race(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            var schools: [OrganizationID] = []
            for index in 0..<8 {
                schools.append(try await School.insert(in: database, name: "School \(index)").organization.id)
            }
            let outcomes = await concurrently(schools) { school -> Bool in
                do {
                    try await database.write {
                        try Domain.put("shared.example", verifiedAt: verified, of: school, in: $0)
                    }
                    return true
                } catch {
                    #expect(error as? DirectoryError == .domainTaken("shared.example"))
                    return false
                }
            }
            #expect(outcomes.filter { $0 }.count == 1)
        }
    }

    @Test("putting a verified domain again keeps it verified", arguments: TestDatabase.available)
    func staysVerified(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let maple = try await School.insert(in: database).organization.id
            let domains = try await database.write { transaction in
                try Domain.put("maple.example", verifiedAt: verified, of: maple, in: transaction)
                try Domain.put("maple.example", verifiedAt: nil, of: maple, in: transaction)
                try Domain.put("maple.example", verifiedAt: verified + 60, of: maple, in: transaction)
                return try Domain.list(of: maple, in: transaction)
            }
            #expect(domains == [Domain(name: "maple.example", verifiedAt: verified)])
        }
    }

    @Test("a domain that was removed is free for another", arguments: TestDatabase.available)
    func removed(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let maple = try await School.insert(in: database, name: "Maple").organization.id
            let oak = try await School.insert(in: database, name: "Oak").organization.id
            try await database.write { try Domain.put("shared.example", verifiedAt: verified, of: maple, in: $0) }
            let foreign = try await database.write { try Domain.delete("shared.example", of: oak, in: $0) }
            let own = try await database.write { try Domain.delete("Shared.Example", of: maple, in: $0) }
            try await database.write { try Domain.put("shared.example", verifiedAt: verified, of: oak, in: $0) }
            #expect(foreign == false)
            #expect(own == true)
        }
    }

    @Test("what is no domain name is not kept", arguments: TestDatabase.available)
    func malformed(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let maple = try await School.insert(in: database).organization.id
            for name in ["", "maple", "maple.example.", "a b.example", "https://maple.example"] {
                await #expect(throws: DirectoryError.self) {
                    try await database.write { try Domain.put(name, verifiedAt: nil, of: maple, in: $0) }
                }
            }
            let domains = try await database.read { try Domain.list(of: maple, in: $0) }
            #expect(domains == [])
        }
    }
}
