import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct OldGrantsTests {
    private func tidy(_ server: AuthorizationServer) async throws -> Bool {
        let now = server.fixed.now
        let isOld = try await server.database.read { try Grant.hasOld(at: now, in: $0) }
        try await server.database.write { try Grant.deleteOld(at: now, in: $0) }
        return isOld
    }

    private func count(_ table: String, _ server: AuthorizationServer) async throws -> Int {
        try await server.database.read { try $0.first("SELECT COUNT(*) FROM \(table)") { try $0[0] } } ?? 0
    }

    private func refreshed(_ server: AuthorizationServer, _ answer: TokenService.Answer) async -> OAuthError.Code? {
        await refusal {
            _ = try await server.tokens.refresh(
                answer.refreshToken ?? "", .roster, client: try await server.client, origin: .system)
        }
    }

    @Test(
        "a revoked grant goes after a month, with its spent tokens; a living one stays",
        arguments: TestDatabase.available)
    func revoked(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let (ended, living) = (try await server.exchange(), try await server.exchange())
            try await database.write {
                try $0.execute(
                    """
                    INSERT INTO spent_refresh_token (token_hash, grant_id, spent_at)
                    SELECT refresh_token_hash, id, created_at FROM access_grant
                    """)
            }
            try await server.tokens.revoke(
                ended.accessToken, .roster, client: try await server.client, origin: .system)
            server.fixed.advance(by: 30 * 86_400 - 1)
            #expect(try await tidy(server) == false)
            #expect(try await count("access_grant", server) == 2)
            server.fixed.advance(by: 1)
            #expect(try await tidy(server))
            #expect(try await count("access_grant", server) == 1)
            #expect(try await count("spent_refresh_token", server) == 1)
            #expect(await refreshed(server, ended) == .invalidGrant)
            #expect(await refreshed(server, living) == nil)
            server.fixed.advance(by: 10 * 365 * 86_400)
            #expect(try await tidy(server) == false)
            #expect(try await count("access_grant", server) == 1)
            #expect(try await server.livingConsent != nil)
        }
    }

    @Test("a grant without a refresh token goes once its code is forgotten", arguments: TestDatabase.available)
    func single(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let (answer, living) = (try await server.exchange(), try await server.exchange())
            try await database.write {
                try $0.execute(
                    """
                    UPDATE access_grant SET refresh_token_hash = NULL
                    WHERE id = (SELECT MIN(id) FROM access_grant)
                    """)
            }
            server.fixed.advance(by: 3_599)
            #expect(try await tidy(server) == false)
            _ = try await server.access(with: answer.accessToken)
            server.fixed.advance(by: 86_400)
            #expect(try await tidy(server))
            #expect(try await count("access_grant", server) == 1)
            #expect(await refreshed(server, living) == nil)
        }
    }
}
