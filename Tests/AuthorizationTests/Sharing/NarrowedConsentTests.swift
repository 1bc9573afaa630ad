import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@testable import Authorization

/// An app that may ask for less than an organization has allowed it.
@Suite struct NarrowedConsentTests {
    private static func narrow(_ server: AuthorizationServer, to scopes: [Scope]) async throws -> [Consent.Narrowed] {
        let (app, now, surroundings) = (server.registered.app, server.fixed.now, server.fixed.surroundings)
        return try await server.database.write { transaction in
            try app.put(name: app.name, scopes: ScopeSet(scopes), in: transaction)
            return try Consent.narrow(
                livingOf: app.id, to: ScopeSet(scopes), at: now, surroundings: surroundings, in: transaction)
        }
    }

    @Test("a scope that is taken from the app is taken from consents and tokens", arguments: TestDatabase.available)
    func narrows(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let token = try await server.exchange().accessToken
            let narrowed = try await Self.narrow(server, to: [.classesRead, .testRead])
            #expect(narrowed.map(\.consent.scopes) == [ScopeSet([.classesRead, .usersRead])])
            #expect(narrowed.map(\.left) == [ScopeSet([.classesRead])])
            #expect(try await server.livingConsent?.scopes == ScopeSet([.classesRead]))
            #expect(try await server.access(with: token).scopes == ScopeSet([.classesRead]))

            // What has come back to the app has not come back to the consent.
            #expect(try await Self.narrow(server, to: [.usersRead, .classesRead]).isEmpty)
            #expect(try await server.access(with: token).scopes == ScopeSet([.classesRead]))
        }
    }

    @Test("a token reads no more than the app may ask for, even if nobody has narrowed the consent")
    func tokens() async throws {
        try await TestDatabase.sqlite.with { database in
            let server = try await AuthorizationServer(database: database)
            let token = try await server.exchange().accessToken
            let app = server.registered.app
            try await database.write { try app.put(name: app.name, scopes: ScopeSet([.usersRead]), in: $0) }
            #expect(try await server.access(with: token).scopes == ScopeSet([.usersRead]))
        }
    }

    @Test("a consent of which nothing is left ends, and the app is told", arguments: TestDatabase.available)
    func ends(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let token = try await server.exchange(["scope": "edu.users.read"]).accessToken
            #expect(try await Self.narrow(server, to: [.classesRead, .name]).map(\.left.isEmpty) == [true])
            #expect(try await server.livingConsent == nil)
            let refused = await rosterRefusal { try await server.access(with: token) }
            #expect(refused == .invalidToken("the grant is revoked"))
            let waiting: Int = try await database.read {
                try $0.first("SELECT COUNT(*) FROM notification") { try $0[0] } ?? 0
            }
            #expect(waiting == 1)
        }
    }
}
