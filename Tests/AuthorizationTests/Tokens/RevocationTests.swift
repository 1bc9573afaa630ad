import Authorization
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct RevocationTests {
    private func isLive(_ server: AuthorizationServer, _ answer: TokenService.Answer) async -> Bool {
        let access = await rosterRefusal { try await server.access(with: answer.accessToken) }
        let refresh = await refusal {
            _ = try await server.tokens.refresh(
                answer.refreshToken ?? "", .roster, client: try await server.client, origin: .system)
        }
        #expect((access == nil) == (refresh == nil))
        return access == nil
    }

    @Test("either token ends both, and nobody else's", arguments: TestDatabase.available, [true, false])
    func revokes(_ kind: TestDatabase, byAccessToken: Bool) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let (answer, bystander) = (try await server.exchange(), try await server.exchange())
            let token = byAccessToken ? answer.accessToken : try #require(answer.refreshToken)
            for _ in 0..<2 {
                try await server.tokens.revoke(token, .roster, client: try await server.client, origin: .system)
            }
            let (ofAnswer, ofBystander) = (await isLive(server, answer), await isLive(server, bystander))
            #expect(!ofAnswer)
            #expect(ofBystander)
            let consent = try await server.livingConsent
            #expect(consent != nil)  // it is the organization's to revoke
            let revocations = try await server.school.auditRecords().filter { $0.action == "token.revoked" }
            #expect(revocations.count == 1)
        }
    }

    @Test("an access token that has expired still ends its grant", arguments: TestDatabase.available)
    func expired(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let answer = try await server.exchange()
            server.fixed.advance(by: 7_200)
            try await server.tokens.revoke(
                answer.accessToken, .roster, client: try await server.client, origin: .system)
            let refreshed = await refusal {
                _ = try await server.tokens.refresh(
                    answer.refreshToken ?? "", .roster, client: try await server.client, origin: .system)
            }
            #expect(refreshed == .invalidGrant)
        }
    }

    @Test("a foreign client's token stays untouched, and an unknown one is no error", arguments: TestDatabase.available)
    func untouched(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let foreign = try await RegisteredApp.insert(
                in: database, server.fixed, under: server.masterKey, clientIDs: ["com.example.foreign"])
            let answer = try await server.exchange()
            let before = try await server.school.auditRecords().count
            for token in [answer.accessToken, try #require(answer.refreshToken)] {
                try await server.tokens.revoke(
                    token, .roster, client: try await server.credentials(of: foreign), origin: .system)
            }
            for token in ["", "x", answer.accessToken + "A", answer.identityToken] {
                try await server.tokens.revoke(token, .roster, client: try await server.client, origin: .system)
            }
            let (isLive, after) = (await isLive(server, answer), try await server.school.auditRecords().count)
            #expect(isLive)
            #expect(after == before)
        }
    }
}
