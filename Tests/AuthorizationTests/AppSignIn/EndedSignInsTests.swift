import Ground
@testable import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct EndedSignInsTests {
    /// People of the school who use the app.
    private func users(_ server: AuthorizationServer, _ count: Int = 3) async throws -> [Person] {
        let (app, now) = (server.registered.app.id, server.fixed.now)
        var people: [Person] = []
        for index in 0..<count { people.append(try await server.school.insertPerson("pupil\(index)", .student)) }
        let pupils = people
        return try await server.database.write { transaction in
            for person in pupils {
                let consent = try SignInConsent.put(
                    app: app, person: person.id, scopes: ScopeSet([]), givenName: nil, familyName: nil,
                    hidesEmail: false, request: SecretHash(of: "request"), at: now, in: transaction)
                try transaction.execute(
                    """
                    INSERT INTO access_grant (profile, sign_in_consent_id, client_id, person_id, scopes,
                                              authenticated_at, created_at, sign_in_version)
                    VALUES ('compatible', $1, $2, $3, '', $4, $4, 1)
                    """,
                    [consent.id, server.registered.clientID, person.id, now])
            }
            return pupils
        }
    }

    /// Whom the app is told of, and what.
    private func told(_ server: AuthorizationServer) async throws -> [String] {
        try await server.database.read { transaction in
            try transaction.all("SELECT claims FROM notification ORDER BY id") { row in
                let event = try JSONDecoder().decode(
                    OutgoingNotification.Event.self, from: Data((try row[0] as String).utf8))
                return "\(event.type) \(event.person)"
            }
        }
    }

    private func count(_ query: String, _ server: AuthorizationServer) async throws -> Int? {
        try await server.database.read { try $0.first(query) { try $0[0] } }
    }

    @Test(
        "each app that a deactivated person used is told, once; their consents and grants end",
        arguments: TestDatabase.available)
    func departures(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let people = try await users(server)
            for person in people.dropLast() { try await server.school.deactivate(person) }
            let ended = EndedSignIns(database: database, surroundings: server.fixed.surroundings)
            for _ in 0..<2 { try await ended.tellOfDepartures(by: .operator, from: .commandLine) }
            let told = try await told(server)
            #expect(told == people.dropLast().map { "consent-revoked \($0.id.rawValue)" })
            let living = try await count("SELECT person_id FROM access_grant WHERE revoked_at IS NULL", server)
            #expect(living == Int(people[2].id.rawValue))
            let records = try await server.school.auditRecords().filter { $0.action == "app.sign-in-ended" }
            #expect(
                records.map(\.detail)
                    == Array(repeating: "app:\(server.registered.app.id.rawValue), account deactivated", count: 2))
        }
    }

    @Test(
        "who comes back before the apps were told is signed out of them all the same",
        arguments: TestDatabase.available)
    func back(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let person = try await users(server, 1)[0]
            let now = server.fixed.now
            try await database.write { transaction in
                try person.deactivate(at: now, in: transaction)
                try person.reactivate(at: now, in: transaction)
            }
            try await EndedSignIns(database: database, surroundings: server.fixed.surroundings)
                .tellOfDepartures(by: .system, from: .system)
            let told = try await told(server)
            #expect(told == ["consent-revoked \(person.id.rawValue)"])
        }
    }

    @Test("codes that nobody has redeemed and devices that were approved go at once", arguments: TestDatabase.available)
    func onTheWay(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let codes = [try await server.code(), try await server.code()]
            _ = try await server.redeem(codes[0])
            let (id, now, surroundings) = (server.administrator.id, server.fixed.now, server.fixed.surroundings)
            try await database.write {
                try Person.endSignIns(of: "$1", [id], in: $0)
                try EndedSignIns.close(
                    .signedOut, of: id, by: .operator, from: .commandLine, at: now, surroundings: surroundings, in: $0)
            }
            let left = try await count("SELECT COUNT(*) FROM authorization_code", server)
            #expect(left == 1)
            // The organization's consent stays, because it belongs to no person's sign-in.
            let consent = try await server.livingConsent
            #expect(consent != nil)
        }
    }
}
