import Ground
@testable import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct AccessRuleSweepTests {
    /// Seven people of the school and one of their own who use the app.
    private func users(_ server: AuthorizationServer) async throws -> [Person] {
        let (app, now) = (server.registered.app.id, server.fixed.now)
        var people: [Person] = []
        for index in 0..<7 { people.append(try await server.school.insertPerson("pupil\(index)", .student)) }
        let pupils = people
        return try await server.database.write { transaction in
            let owner = try Person.insert(
                in: nil, givenName: "Maria", familyName: "Ruiz", email: nil, userName: "maria@home.example", at: now,
                in: transaction)
            for person in pupils + [owner] {
                _ = try SignInConsent.put(
                    app: app, person: person.id, scopes: ScopeSet([]), givenName: nil, familyName: nil,
                    hidesEmail: false, request: SecretHash(of: "request"), at: now, in: transaction)
            }
            return pupils + [owner]
        }
    }

    private func change(_ change: AccessRule.Change, _ server: AuthorizationServer) async throws {
        let (organization, now) = (server.school.organization.id, server.fixed.now)
        try await server.database.write {
            try AccessRule.apply(
                change, to: organization, purpose: .signIn, by: .operator, from: .commandLine, at: now, in: $0)
        }
    }

    private func living(_ server: AuthorizationServer) async throws -> [PersonID] {
        let app = server.registered.app.id
        return try await server.database.read {
            try SignInConsent.list(livingOf: app, in: $0).map(\.personID)
        }
    }

    @Test(
        "people are signed out batch by batch, once, and only those of the organization",
        arguments: TestDatabase.available)
    func batches(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let people = try await users(server)
            let organization = server.school.organization.id
            let sweep = AccessRuleSweep(database: database, surroundings: server.fixed.surroundings, batch: 3)
            // Nobody is out.
            let none = try await sweep.run(in: organization, by: .operator, from: .commandLine)
            try await change(.mode(.allowOnlyListedApps), server)
            let seven = try await sweep.run(in: organization, by: .operator, from: .commandLine)
            let again = try await sweep.run(in: organization, by: .operator, from: .commandLine)
            #expect(none == 0 && seven == 7 && again == 0)
            let left = try await living(server)
            #expect(left == [people[7].id])
            let ended = try await server.school.auditRecords().filter { $0.action == "app.sign-in-ended" }
            #expect(ended.count == 7)
        }
    }

    @Test("what a change would end is known before it", arguments: TestDatabase.available)
    func losses(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            _ = try await users(server)
            _ = try await server.code()
            let (organization, app) = (server.school.organization, server.registered.app.id)
            let now = server.fixed.now
            func losses(_ change: AccessRule.Change, _ purpose: AccessRule.Purpose) async throws -> [String] {
                try await database.read {
                    try AccessLoss.find(of: change, to: organization, purpose: purpose, at: now, in: $0).map {
                        "\($0.app.id == app) \($0.signIns) \($0.readsRoster)"
                    }
                }
            }
            let onlyListed = try await losses(.mode(.allowOnlyListedApps), .signIn)
            let unlisted = try await losses(.unlist(app), .dataSharing)
            let listed = try await losses(.list(app), .signIn)
            let all = try await losses(.mode(.allowAllApps), .dataSharing)
            #expect(onlyListed == ["true 7 true"])
            #expect(unlisted == ["true 0 true"])
            #expect(listed == [] && all == [])
            let before = try await living(server)
            #expect(before.count == 8)
        }
    }

    @Test("what a crash left undone is done later, and what was changed back is not", arguments: TestDatabase.available)
    func crash(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let people = try await users(server)
            let sweep = AccessRuleSweep(database: database, surroundings: server.fixed.surroundings, batch: 3)
            try await change(.mode(.allowOnlyListedApps), server)
            try await change(.list(server.registered.app.id), server)
            try await sweep.finish()
            let kept = try await living(server)
            #expect(kept == people.map(\.id))
            // Not even looked at, until there is another change.
            try await database.write { try $0.execute("DELETE FROM access_rule_app WHERE purpose = 'sign_in'") }
            try await sweep.finish()
            let untouched = try await living(server)
            #expect(untouched == kept)
            try await change(.unlist(server.registered.app.id), server)
            try await sweep.finish()
            let left = try await living(server)
            #expect(left == [people[7].id])
        }
    }
}
