@testable import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct DomainTests {
    private let verified = Date(timeIntervalSince1970: 1_700_000_000)
    private let now = Date(timeIntervalSince1970: 1_700_000_300)

    @Test("many may claim a domain, one may verify it", arguments: TestDatabase.available)
    func verifiedByOne(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let maple = try await School.insert(in: database, name: "Maple").organization.id
            let oak = try await School.insert(in: database, name: "Oak").organization.id
            try await database.write { try Domain.put("Shared.example", verifiedAt: nil, of: maple, at: now, in: $0) }
            try await database.write { try Domain.put("shared.example", verifiedAt: nil, of: oak, at: now, in: $0) }
            try await database.write {
                try Domain.put("shared.example", verifiedAt: verified, of: maple, at: now, in: $0)
            }
            await #expect(throws: DirectoryError.domainTaken("shared.example")) {
                try await database.write {
                    try Domain.put("SHARED.example", verifiedAt: verified, of: oak, at: now, in: $0)
                }
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
                        try Domain.put("shared.example", verifiedAt: verified, of: school, at: now, in: $0)
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
                try Domain.put("maple.example", verifiedAt: verified, of: maple, at: now, in: transaction)
                try Domain.put("maple.example", verifiedAt: nil, of: maple, at: now, in: transaction)
                try Domain.put("maple.example", verifiedAt: verified + 60, of: maple, at: now, in: transaction)
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
            try await database.write {
                try Domain.put("shared.example", verifiedAt: verified, of: maple, at: now, in: $0)
            }
            let foreign = try await database.write { try Domain.delete("shared.example", of: oak, at: now, in: $0) }
            let own = try await database.write { try Domain.delete("Shared.Example", of: maple, at: now, in: $0) }
            try await database.write {
                try Domain.put("shared.example", verifiedAt: verified, of: oak, at: now, in: $0)
            }
            #expect(foreign == false)
            #expect(own == true)
        }
    }

    @Test("a change of its domains is a change of the organization", arguments: TestDatabase.available)
    func touches(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let maple = try await School.insert(in: database).organization.id
            func modified(by change: @escaping @Sendable (WriteTransaction) throws -> Void) async throws -> Bool {
                try await database.write { transaction in
                    try transaction.execute("UPDATE organization SET modified_at = 0")
                    try change(transaction)
                    return try Organization.find(maple, in: transaction)?.modifiedAt == now
                }
            }
            let claimed = try await modified {
                try Domain.put("a.example", verifiedAt: nil, of: maple, at: now, in: $0)
            }
            let verified = try await modified {
                try Domain.put("a.example", verifiedAt: now, of: maple, at: now, in: $0)
            }
            let again = try await modified {
                try Domain.put("a.example", verifiedAt: now, of: maple, at: now, in: $0)
            }
            let removed = try await modified { _ = try Domain.delete("a.example", of: maple, at: now, in: $0) }
            let unknown = try await modified { _ = try Domain.delete("a.example", of: maple, at: now, in: $0) }
            #expect([claimed, verified, again, removed, unknown] == [true, true, false, true, false])
        }
    }

    @Test("what is no domain name is not kept", arguments: TestDatabase.available)
    func malformed(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let maple = try await School.insert(in: database).organization.id
            for name in ["", "maple", "maple.example.", "a b.example", "https://maple.example"] {
                await #expect(throws: DirectoryError.self) {
                    try await database.write { try Domain.put(name, verifiedAt: nil, of: maple, at: now, in: $0) }
                }
            }
            let domains = try await database.read { try Domain.list(of: maple, in: $0) }
            #expect(domains == [])
        }
    }
}
