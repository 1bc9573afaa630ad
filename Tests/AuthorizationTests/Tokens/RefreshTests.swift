import Authorization
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

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
                let answer = try await server.tokens.refresh(token, client: try await server.client)
                #expect(answer.refreshToken == nil)
                #expect(answer.expiresIn == 3_600)
                #expect(answer.accessToken != first.accessToken)
                _ = try await server.access(with: answer.accessToken)
                await #expect(throws: RosterAccess.Refusal.invalidToken("expired")) {
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
            let before = try await server.school.auditRecords().count
            _ = try await server.tokens.refresh(token, client: try await server.client)
            let after = try await server.school.auditRecords().count
            #expect(after == before)
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
                    _ = try await server.tokens.refresh(wrong, client: try await server.client)
                }
                #expect(refused == .invalidGrant)
            }
            let byForeign = await refusal {
                _ = try await server.tokens.refresh(token, client: try await server.authenticate(foreign))
            }
            #expect(byForeign == .invalidGrant)
            _ = try await server.tokens.refresh(token, client: try await server.client)
        }
    }
}
