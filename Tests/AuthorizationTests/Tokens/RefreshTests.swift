import Authorization
import Directory
import Fixtures
import Ground
import Storage
import Testing
import TestSupport

@Suite struct RefreshTests {
    @Test(
        "a refresh gives a new access token and keeps the refresh token, for years", arguments: TestDatabase.available)
    func refreshes(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let first = try await server.exchange()
            let token = try #require(first.refreshToken)
            for _ in 0..<3 {
                server.fixed.advance(by: 200 * 86_400)
                let answer = try await server.tokens.refresh(
                    token, .roster, client: try await server.client, origin: .system)
                #expect(answer.refreshToken == nil)
                #expect(answer.expiresIn == 3_600)
                #expect(answer.accessToken != first.accessToken)
                _ = try await server.access(with: answer.accessToken)
                await #expect(throws: RosterRefusal.invalidToken("expired")) {
                    try await server.access(with: first.accessToken)
                }
            }
        }
    }

    @Test("a refresh writes nothing", arguments: TestDatabase.available)
    func writesNothing(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let token = try #require(try await server.exchange().refreshToken)
            let (auditBefore, grantsBefore) = (try await server.school.auditRecords().count, try await grants(database))
            server.fixed.advance(by: 60)
            _ = try await server.tokens.refresh(token, .roster, client: try await server.client, origin: .system)
            let (auditAfter, grantsAfter) = (try await server.school.auditRecords().count, try await grants(database))
            #expect(auditAfter == auditBefore)
            #expect(grantsAfter == grantsBefore)
            #expect(grantsBefore.count == 1)
        }
    }

    /// Every row of `access_grant`, with all that could change.
    private func grants(_ database: any Database) async throws -> [[String]] {
        try await database.read { transaction in
            try transaction.all(
                """
                SELECT id, consent_id, client_id, person_id, scopes, refresh_token_hash, authenticated_at, created_at,
                    COALESCE(revoked_at, 0)
                FROM access_grant
                ORDER BY id
                """
            ) { row in
                [
                    "\(try row[0] as Int)", "\(try row[1] as Int)", try row[2], "\(try row[3] as Int)", try row[4],
                    (try row[5] as [UInt8]).hexadecimal, "\(try row[6] as Int)", "\(try row[7] as Int)",
                    "\(try row[8] as Int)",
                ]
            }
        }
    }

    @Test("what is not this client's refresh token is invalid_grant", arguments: TestDatabase.available)
    func refused(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let foreign = try await RegisteredApp.insert(
                in: database, server.fixed, under: server.masterKey, clientIDs: ["com.example.foreign"])
            let (answer, code) = (try await server.exchange(), try await server.code())
            let token = try #require(answer.refreshToken)
            for wrong in ["", "r", answer.accessToken, token + "A", String(token.dropLast()), token.uppercased(), code]
            {
                let refused = await refusal {
                    _ = try await server.tokens.refresh(
                        wrong, .roster, client: try await server.client, origin: .system)
                }
                #expect(refused == .invalidGrant)
            }
            let byForeign = await refusal {
                _ = try await server.tokens.refresh(
                    token, .roster, client: try await server.credentials(of: foreign), origin: .system)
            }
            #expect(byForeign == .invalidGrant)
            _ = try await server.tokens.refresh(token, .roster, client: try await server.client, origin: .system)
        }
    }
}
