import Authorization
import Crypto
import Directory
import Fixtures
import Foundation
import Ground
import Storage
import Testing
import TestSupport

@Suite struct RedemptionTests {
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"  // RFC 7636 appendix B
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    @Test("a code gives tokens for an hour", arguments: TestDatabase.available)
    func redeems(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let answer = try await server.exchange()
            #expect(answer.expiresIn == 3_600)
            #expect(answer.refreshToken != nil)
            _ = try await server.access(with: answer.accessToken)
            let last = try await server.school.auditRecords().last
            #expect(last?.action == "token.issued")
            #expect(last?.actor == "client:com.example.quizzler")
        }
    }

    @Test("of a hundred redemptions at once exactly one wins", arguments: TestDatabase.available)
    func race(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let (code, client) = (try await server.code(), try await server.client)
            let outcomes = await concurrently(0..<100) { _ -> OAuthError.Code? in
                await refusal {
                    _ = try await server.tokens.redeem(
                        .init(code: code, redirectURI: server.registered.returnURL, codeVerifier: nil), .roster,
                        client: client, origin: .system)
                }
            }
            #expect(outcomes.filter { $0 == nil }.count == 1)
            #expect(outcomes.filter { $0 == .invalidGrant }.count == 99)
            let grants = try await database.read {
                try $0.first("SELECT COUNT(*) FROM access_grant") { try $0[0] as Int }
            }
            #expect(grants == 1)
        }
    }

    @Test("a code used again gives nothing and ends what it gave", arguments: TestDatabase.available)
    func replay(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let code = try await server.code()
            let (answer, bystander) = (try await server.redeem(code), try await server.exchange())
            let again = await refusal { _ = try await server.redeem(code) }
            #expect(again == .invalidGrant)
            let refused = await rosterRefusal { try await server.access(with: answer.accessToken) }
            #expect(refused == .invalidToken("the grant is revoked"))
            let refreshed = await refusal {
                _ = try await server.tokens.refresh(
                    try #require(answer.refreshToken), .roster, client: try await server.client, origin: .system)
            }
            #expect(refreshed == .invalidGrant)
            _ = try await server.access(with: bystander.accessToken)
            let records = try await server.school.auditRecords()
            #expect(records.last?.action == "code.replayed")
            // Further attempts are not recorded: they are no news, and would fill the trail.
            for _ in 0..<3 { _ = await refusal { _ = try await server.redeem(code) } }
            let after = try await server.school.auditRecords()
            #expect(after.count == records.count)
        }
    }

    @Test("a code is good for five minutes to the second", arguments: TestDatabase.available)
    func expires(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let (late, justInTime) = (try await server.code(), try await server.code())
            server.fixed.advance(by: 299)
            _ = try await server.redeem(justInTime)
            server.fixed.advance(by: 1)
            let refused = await refusal { _ = try await server.redeem(late) }
            #expect(refused == .invalidGrant)
        }
    }

    @Test("whoever is not the client of the code is refused and does not use it up", arguments: TestDatabase.available)
    func otherClient(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let foreign = try await RegisteredApp.insert(
                in: database, server.fixed, under: server.masterKey, clientIDs: ["com.example.foreign"])
            let (code, client) = (try await server.code(), try await server.credentials(of: foreign))
            let refused = await refusal {
                _ = try await server.tokens.redeem(
                    .init(code: code, redirectURI: server.registered.returnURL, codeVerifier: nil), .roster,
                    client: client, origin: .system)
            }
            #expect(refused == .invalidGrant)
            _ = try await server.redeem(code)
        }
    }

    @Test("another client id of the same app is another client", arguments: TestDatabase.available)
    func groupedClient(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let app = server.registered.app.id
            try await database.write {
                try $0.execute(
                    "INSERT INTO client (client_id, app_id, is_primary) VALUES ('com.example.web', $1, 0)", [app])
            }
            let client = try await server.credentials(of: server.registered, clientID: "com.example.web")
            let code = try await server.code()
            let refused = await refusal {
                _ = try await server.tokens.redeem(
                    .init(code: code, redirectURI: server.registered.returnURL, codeVerifier: nil), .roster,
                    client: client, origin: .system)
            }
            #expect(refused == .invalidGrant)
            let answer = try await server.redeem(code)
            let refreshed = await refusal {
                _ = try await server.tokens.refresh(
                    try #require(answer.refreshToken), .roster, client: client, origin: .system)
            }
            #expect(refreshed == .invalidGrant)
        }
    }

    @Test(
        "a wrong or missing return URL is invalid_client and does not use the code up",
        arguments: TestDatabase.available)
    func wrongReturnURL(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let code = try await server.code()
            for wrong in [nil, "", "https://quizzler.example/callback/", "https://evil.example/"] {
                let refused = await refusal { _ = try await server.redeem(code, redirectURI: wrong) }
                #expect(refused == .invalidClient)
            }
            _ = try await server.redeem(code)
        }
    }

    @Test("an unknown code is invalid_grant", arguments: TestDatabase.available)
    func unknown(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let code = try await server.code()
            for wrong in ["", "x", code + "A", String(code.dropLast()), code.lowercased() + "x", code + "\0"] {
                let refused = await refusal { _ = try await server.redeem(wrong) }
                #expect(refused == .invalidGrant)
            }
            _ = try await server.redeem(code)
        }
    }

    @Test("a challenge demands its verifier", arguments: TestDatabase.available)
    func proofKey(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let code = try await server.code(["code_challenge": Self.challenge, "code_challenge_method": "S256"])
            for wrong in [nil, "", Self.challenge, Self.verifier + "x", Self.verifier.lowercased()] {
                let refused = await refusal { _ = try await server.redeem(code, codeVerifier: wrong) }
                #expect(refused == .invalidGrant)
            }
            _ = try await server.redeem(code, codeVerifier: Self.verifier)
        }
    }

    @Test(
        "a verifier is 43 to 128 of the unreserved characters", arguments: TestDatabase.available
    )
    func verifierSyntax(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            func redeem(_ verifier: String) async throws -> OAuthError.Code? {
                let challenge = Data(SHA256.hash(data: Data(verifier.utf8))).base64URLEncoded
                let code = try await server.code(["code_challenge": challenge, "code_challenge_method": "S256"])
                return await refusal { _ = try await server.redeem(code, codeVerifier: verifier) }
            }
            for good in [String(repeating: "a", count: 43), String(repeating: "Z9-._~", count: 21) + "ab"] {
                #expect(try await redeem(good) == nil)
            }
            for wrong in [
                "a", String(repeating: "a", count: 42), String(repeating: "a", count: 129),
                String(repeating: "ü", count: 50), String(repeating: " ", count: 43),
                String(repeating: "a", count: 42) + "+",
            ] {
                #expect(try await redeem(wrong) == .invalidGrant)
            }
        }
    }

    @Test("a verifier demands its challenge", arguments: TestDatabase.available)
    func proofKeyTakenAway(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let code = try await server.code()
            let refused = await refusal { _ = try await server.redeem(code, codeVerifier: Self.verifier) }
            #expect(refused == .invalidGrant)
        }
    }

    @Test("neither codes nor refresh tokens stand in the database in clear", arguments: TestDatabase.available)
    func hashed(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let code = try await server.code()
            let answer = try await server.redeem(code)
            let (codes, tokens) = try await database.read { transaction in
                (
                    try transaction.all("SELECT code_hash FROM authorization_code") { try $0[0] as [UInt8] },
                    try transaction.all("SELECT refresh_token_hash FROM access_grant") { try $0[0] as [UInt8] }
                )
            }
            #expect(codes == [Array(SHA256.hash(data: Data(code.utf8)))])
            #expect(tokens == [Array(SHA256.hash(data: Data(try #require(answer.refreshToken).utf8)))])
        }
    }
}
