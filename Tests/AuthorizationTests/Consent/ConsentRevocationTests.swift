import Authorization
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct ConsentRevocationTests {
    @Test("a revoked consent ends every token at once and stays as history", arguments: TestDatabase.available)
    func ends(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let answers = [try await server.exchange(), try await server.exchange()]
            let unspent = try await server.code()
            let first = try await server.revokeConsent(by: server.administrator)
            #expect(first == true)
            for answer in answers {
                await #expect(throws: RosterRefusal.self) { try await server.access(with: answer.accessToken) }
                let refreshed = await refusal {
                    _ = try await server.tokens.refresh(
                        try #require(answer.refreshToken), .roster, client: try await server.client, origin: .system)
                }
                #expect(refreshed == .invalidGrant)
            }
            let redeemed = await refusal { _ = try await server.redeem(unspent) }
            #expect(redeemed == .invalidGrant)
            let last = try await server.school.auditRecords().last
            #expect(last?.action == "consent.revoked")
            #expect(last?.actor == "person:\(server.administrator.id.rawValue)")
        }
    }

    @Test("revoking twice does nothing the second time", arguments: TestDatabase.available)
    func twice(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            _ = try await server.exchange()
            let consent = try #require(try await server.livingConsent)
            let (now, surroundings) = (server.fixed.now, server.fixed.surroundings)
            var outcomes: [Bool] = []
            for _ in 0..<2 {
                outcomes.append(
                    try await database.write { transaction in
                        try consent.revoke(
                            by: nil, actor: .operator, from: .commandLine, at: now, surroundings: surroundings,
                            in: transaction)
                    })
            }
            #expect(outcomes == [true, false])
            let queued = try await database.read {
                try $0.first("SELECT COUNT(*) FROM notification") { try $0[0] as Int }
            }
            #expect(queued == 1)
        }
    }

    @Test("a new consent after a revoked one does not bring old tokens back", arguments: TestDatabase.available)
    func anew(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let old = try await server.exchange()
            try await server.revokeConsent()
            let new = try await server.exchange()
            await #expect(throws: RosterRefusal.self) { try await server.access(with: old.accessToken) }
            _ = try await server.access(with: new.accessToken)
            let history = try await database.read { try Consent.list(of: server.school.organization.id, in: $0) }
            #expect(history.map { $0.revokedAt != nil } == [true, false])
        }
    }

    @Test("the consent outlives the administrator who gave it", arguments: TestDatabase.available)
    func outlives(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let answer = try await server.exchange()
            _ = try await server.school.insertPerson("successor", .administrator)
            try await server.school.deactivate(server.administrator)
            _ = try await server.access(with: answer.accessToken)
            _ = try await server.tokens.refresh(
                try #require(answer.refreshToken), .roster, client: try await server.client, origin: .system)
        }
    }
}
