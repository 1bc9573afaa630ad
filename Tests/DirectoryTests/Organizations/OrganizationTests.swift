import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct OrganizationTests {
    @Test("an organization is found by its id and by its public id in any case", arguments: TestDatabase.available)
    func found(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let organization = try await School.insert(in: database).organization
            let (byID, byPublicID, unknown) = try await database.read { transaction in
                (
                    try Organization.find(organization.id, in: transaction),
                    try Organization.find(publicID: organization.publicID.uppercased(), in: transaction),
                    try Organization.find(publicID: UUID().uuidString, in: transaction)
                )
            }
            #expect(byID == organization)
            #expect(byPublicID == organization)
            #expect(unknown == nil)
            #expect(UUID(uuidString: organization.publicID) != nil)
            #expect(organization.publicID == organization.publicID.lowercased())
            #expect(organization.createdAt == FixedSurroundings.start)
        }
    }

    @Test("a new organization names its people by first and last name", arguments: TestDatabase.available)
    func standardFormat(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let latin = try await School.insert(in: database, name: "Grünwald Schule").organization
            let empty = try await School.insert(in: database, name: "!!!").organization
            #expect(latin.userNameFormatText == "{first_name}.{last_name}@grunwald-schule.lanyard.internal")
            #expect(empty.userNameFormatText == "{first_name}.{last_name}@school.lanyard.internal")
        }
    }

    @Test("the synthetic school is in no list", arguments: TestDatabase.available)
    func synthetic(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let before = try await database.read { try Organization.synthetic(in: $0) }
            #expect(before == nil)
            let b = try await School.insert(in: database, name: "B").organization
            let synthetic = try await School.insert(in: database, name: "AA", isSynthetic: true).organization
            let a = try await School.insert(in: database, name: "A").organization
            let (list, found) = try await database.read {
                (try Organization.list(in: $0), try Organization.synthetic(in: $0))
            }
            #expect(list == [a, b])
            #expect(found == synthetic)
        }
    }

    @Test("a bad name is refused and changes nothing", arguments: TestDatabase.available)
    func badName(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let organization = try await School.insert(in: database).organization
            let format = try UserNameFormat("{sis_username}@maple.example")
            for name in ["", "  ", "a\u{0}b", String(repeating: "x", count: 1_025)] {
                await #expect(throws: DirectoryError.self) { try await School.insert(in: database, name: name) }
                await #expect(throws: DirectoryError.self) {
                    try await database.write {
                        try organization.update(name: name, userNameFormat: format, at: .now, in: $0)
                    }
                }
            }
            let list = try await database.read { try Organization.list(in: $0) }
            #expect(list == [organization])
        }
    }

    @Test("an update keeps the identity and moves the date", arguments: TestDatabase.available)
    func update(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let organization = try await School.insert(in: database).organization
            let format = try UserNameFormat("{sis_username}@maple.example")
            let later = FixedSurroundings.start + 60
            let updated = try await database.write { transaction in
                try organization.update(name: "Oak District", userNameFormat: format, at: later, in: transaction)
                return try Organization.find(organization.id, in: transaction)
            }
            #expect(updated?.name == "Oak District")
            #expect(try updated?.userNameFormat == format)
            #expect(updated?.publicID == organization.publicID)
            #expect(updated?.createdAt == organization.createdAt)
            #expect(updated?.modifiedAt == later)
        }
    }
}
