import Directory
import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing

@Suite struct InvitationAcceptanceTests {
    private static let origin = Origin.request("r-1", address: "192.0.2.7")

    private func invite(_ school: School) async throws -> String {
        let (organization, now, surroundings) = (school.organization.id, school.fixed.now, school.fixed.surroundings)
        return try await school.database.write { transaction in
            try Invitation.insert(to: organization, as: .administrator, at: now, from: surroundings, in: transaction)
                .text
        }
    }

    private func accept(_ school: School, _ secret: String, userName: String) async throws -> BrowserEntry? {
        try await InvitationAcceptance(
            database: school.database, hasher: school.passwordHasher, surroundings: school.fixed.surroundings
        ).accept(
            secret,
            of: .init(givenName: "Ida", familyName: "Ivarsson", userName: userName, password: "birch leaf 5"),
            userAgent: "Browser", replacing: nil, knownBrowser: nil, origin: Self.origin)
    }

    @Test("an administrator is made, signed in and noted, once", arguments: TestDatabase.available)
    func once(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let secret = try await invite(school)
            let entry = try #require(try await accept(school, secret, userName: "ida@maple.example"))
            let now = school.fixed.now
            let session = try await database.read {
                try BrowserSession.find(token: entry.session.text, at: now, in: $0)
            }
            #expect(session?.person.userName == "ida@maple.example" && session?.mustChangePassword == false)
            let id = try #require(session?.person.id)
            let administrators = try await database.read {
                try $0.all("SELECT person_id FROM role_assignment WHERE role = $1", [Role.administrator]) {
                    try $0[0] as PersonID
                }
            }
            #expect(administrators == [id])
            let record = try #require(try await school.auditRecords().last)
            #expect(record.subject == "person:\(id.rawValue)" && record.detail == "by invitation as administrator")
            #expect(record.origin.contains("192.0.2.7"))
            #expect(try await accept(school, secret, userName: "eve@maple.example") == nil)
        }
    }

    @Test("a user name that somebody has is refused, and the link still counts", arguments: TestDatabase.available)
    func taken(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            _ = try await school.insertPerson("nadia", .instructor)
            let secret = try await invite(school)
            await #expect(throws: DirectoryError.self) {
                _ = try await accept(school, secret, userName: "NADIA@maple.example")
            }
            #expect(try await accept(school, secret, userName: "ida@maple.example") != nil)
        }
    }

    @Test("of ten who use a link at once, one gets an account", arguments: TestDatabase.available)
    func race(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let secret = try await invite(school)
            let outcomes = await concurrently(0..<10) { index in
                do {
                    return try await self.accept(school, secret, userName: "ida\(index)@maple.example") != nil
                } catch {
                    Issue.record(error)
                    return false
                }
            }
            #expect(outcomes.filter { $0 }.count == 1)
            let people = try await database.read { try $0.first("SELECT COUNT(*) FROM person") { try $0[0] as Int } }
            #expect(people == 1)
        }
    }
}
