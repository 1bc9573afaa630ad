import Directory
import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing
@testable import Authorization

@Suite struct RosterServiceTests {
    private let both = "scopes edu.classes.read edu.users.read"

    private struct Scene {
        let server: AuthorizationServer
        let roster: RosterService
        let token: String

        init(_ database: any Database, scope: String = "edu.users.read edu.classes.read", burst: Double = 100)
            async throws
        {
            server = try await AuthorizationServer(database: database)
            roster = RosterService(
                database: database, keys: server.keys, teamIdentifiers: server.teamIdentifiers,
                rate: .init(burst: burst, perSecond: 1), now: server.fixed.surroundings.now)
            token = try await server.exchange(["scope": scope]).accessToken
        }

        func page<Record>(
            _ list: RosterList<Record>, _ parameters: [String: String] = [:], token: String? = nil
        ) async throws -> RosterPage<Record> {
            let fields = parameters.map { FormField($0, $1) }
            return try await roster.page(
                of: list, RequestParameters(fields), bearerToken: token ?? self.token, from: .system
            ).value
        }

        /// Why a list is refused; nil if it is not.
        func refusal<Record>(
            _ list: RosterList<Record>, _ parameters: [String: String] = [:], token: String? = nil
        ) async throws -> RosterRefusal? {
            do {
                _ = try await page(list, parameters, token: token)
                return nil
            } catch let refusal as RosterRefusal {
                return refusal
            }
        }

        /// What the audit trail says of roster calls, oldest first.
        func told() async throws -> [String] {
            let organization = server.school.organization.id
            return try await server.database.read {
                try AuditRecord.page(of: organization, after: 0, limit: 1_000, in: $0)
                    .filter { $0.action == AuditEntry.Action.rosterRead.rawValue }
                    .map { "\($0.actor) \($0.subject): \($0.detail)" }
            }
        }
    }

    @Test(
        "pages follow each other, and each has one audit entry that names what was read",
        arguments: TestDatabase.available)
    func pages(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let scene = try await Scene(database)
            let ada = try await scene.server.school.insertPerson("ada", .student)
            let ben = try await scene.server.school.insertPerson("ben", .student)
            let eve = try await scene.server.school.insertPerson("eve", .student)
            let first = try await scene.page(.users, ["limit": "2", "role": "Student"])
            #expect(first.records.map(\.id) == [ada.id, ben.id])
            let next = try #require(first.next)
            let second = try await scene.page(.users, ["limit": "2", "pageToken": next])
            #expect(second.records.map(\.id) == [eve.id])
            #expect(second.next == nil)
            let by = "client:com.example.quizzler users"
            #expect(
                try await scene.told() == [
                    "\(by): 2 records, ids \(ada.id.rawValue)-\(ben.id.rawValue); role Student; \(both)",
                    "\(by): 1 records, ids \(eve.id.rawValue); role Student; \(both)",
                ])
        }
    }

    @Test("a list without records is told of too", arguments: TestDatabase.available)
    func nothing(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let scene = try await Scene(database)
            #expect(try await scene.page(.classes).records.isEmpty)
            #expect(try await scene.told() == ["client:com.example.quizzler classes: 0 records, ids none; \(both)"])
        }
    }

    @Test("a reading whose audit entry cannot be written returns nothing", arguments: TestDatabase.available)
    func auditFails(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let scene = try await Scene(database)
            _ = try await scene.page(.users)
            try await database.write { try $0.execute("ALTER TABLE audit_entry RENAME TO lost_entry") }
            await #expect(throws: DatabaseError.self) { try await scene.page(.users) }
            await #expect(throws: DatabaseError.self) {
                try await scene.roster.record(.organization, bearerToken: scene.token, from: .system)
            }
            try await database.write { try $0.execute("ALTER TABLE lost_entry RENAME TO audit_entry") }
            #expect(try await scene.told().count == 1)
        }
    }

    @Test("what is refused leaves no audit entry", arguments: TestDatabase.available)
    func refusals(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let scene = try await Scene(database, scope: "edu.users.read")
            let users = try await scene.server.school.insertClass("7b")
            #expect(try await scene.refusal(.users, token: "no token") == .invalidToken("not one of ours"))
            #expect(try await scene.refusal(.classes) == .forbidden("the scopes are edu.users.read"))
            #expect(try await scene.refusal(.users(ofClass: users)) == .forbidden("the scopes are edu.users.read"))
            #expect(
                try await scene.refusal(.users, ["limit": "0"])
                    == .badRequest(message: "limit must be a whole number from 1, not “0”."))
            await #expect(throws: RosterRefusal.notFound) {
                try await scene.roster.record(.user("000000.0.0000"), bearerToken: scene.token, from: .system)
            }
            try await scene.server.revokeConsent()
            #expect(try await scene.refusal(.users) == .invalidToken("the grant is revoked"))
            #expect(try await scene.told() == [])
        }
    }

    @Test("rights come before the rate, and the rate before scopes and parameters", arguments: TestDatabase.available)
    func order(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let scene = try await Scene(database, scope: "edu.users.read", burst: 2)
            // These calls use up no app's rate, because the token belongs to none.
            for _ in 0..<3 { #expect(try await scene.refusal(.users, token: "no token") != nil) }
            #expect(try await scene.refusal(.classes) == .forbidden("the scopes are edu.users.read"))
            #expect(try await scene.refusal(.users, ["limit": "x"]) != nil)
            for _ in 0..<2 {
                #expect(try await scene.refusal(.classes) == .rateLimited(seconds: 1))
                #expect(try await scene.refusal(.users, ["limit": "x"]) == .rateLimited(seconds: 1))
            }
            scene.server.fixed.advance(by: 1)
            #expect(try await scene.refusal(.users) == nil)
            try await scene.server.revokeConsent()
            #expect(try await scene.refusal(.users) == .invalidToken("the grant is revoked"))
        }
    }

    @Test("the people of a class are another list than those of the next class", arguments: TestDatabase.available)
    func classLists(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let scene = try await Scene(database)
            let people = [
                try await scene.server.school.insertPerson("ada", .student),
                try await scene.server.school.insertPerson("ben", .student),
            ]
            let art = try await scene.server.school.insertClass("art", students: people)
            let biology = try await scene.server.school.insertClass("biology", students: people)
            let next = try #require(try await scene.page(.users(ofClass: art), ["limit": "1"]).next)
            #expect(try await scene.page(.users(ofClass: art), ["pageToken": next]).records.map(\.id) == [people[1].id])
            let foreign = RosterRefusal.badRequest(
                message: "pageToken is not one that this endpoint gave out. Begin again without it.")
            #expect(try await scene.refusal(.users(ofClass: biology), ["pageToken": next]) == foreign)
            #expect(try await scene.refusal(.users, ["pageToken": next]) == foreign)
            for id in [nil, ClassID(rawValue: 0), ClassID(rawValue: 999_999)] {
                #expect(try await scene.refusal(.users(ofClass: id), ["limit": "x"]) == .notFound)
            }
        }
    }

    @Test("a location says what its organization says for it", arguments: TestDatabase.available)
    func locations(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let scene = try await Scene(database)
            let (organization, now) = (scene.server.school.organization.id, scene.server.fixed.now)
            try await database.write {
                try LocationDefaults(domainName: "maple.example", timeZone: "Asia/Tokyo")
                    .put(for: organization, at: now, in: $0)
            }
            let found = try #require(try await scene.page(.locations).records.first)
            #expect(found.domainName == "maple.example" && found.timeZone == "Europe/Berlin")
            let one = try await scene.roster.record(.location(found.id), bearerToken: scene.token, from: .system)
            #expect(one.value == found)
            #expect(
                try await scene.told() == [
                    "client:com.example.quizzler locations: 1 records, ids \(found.id.rawValue); \(both)",
                    "client:com.example.quizzler locations/one: location \(found.id.rawValue); \(both)",
                ])
        }
    }

    @Test("whoever is erased in the middle of a crawl is on no later page", arguments: TestDatabase.available)
    func erasedMeanwhile(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let scene = try await Scene(database)
            var people: [Person] = []
            for name in ["ada", "ben", "cleo", "dana"] {
                people.append(try await scene.server.school.insertPerson(name, .student))
            }
            let art = try await scene.server.school.insertClass("Art", students: people)
            let first = try await scene.page(.users(ofClass: art), ["limit": "1"])
            #expect(first.records.map(\.id) == [people[0].id])
            let next = try #require(first.next)
            let (organization, now) = (scene.server.school.organization.id, scene.server.fixed.now)
            let erased = people[1]
            try await database.write { transaction in
                for table in ["class_student", "role_assignment"] {
                    try transaction.execute("DELETE FROM \(table) WHERE person_id = $1", [erased.id])
                }
                try erased.eraseManaged(in: organization, at: now, in: transaction)
            }
            let rest = try await scene.page(.users(ofClass: art), ["pageToken": next])
            #expect(rest.records.map(\.id) == [people[2].id, people[3].id])
            #expect(try await !scene.page(.users).records.map(\.id).contains(erased.id))
        }
    }
}
