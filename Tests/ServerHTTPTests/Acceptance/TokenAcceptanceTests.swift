import Authorization
import Directory
import Fixtures
import Foundation
import Testing
import TestSupport

@testable import TestServers

/// Tokens and client secrets of data sharing. docs/specifications/roster-api.md, 6.
@Suite struct TokenAcceptanceTests {
    @Test("an exchange works with code and with grant_code, and gives five keys", arguments: TestDatabase.available)
    func exchange(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let first = try await server.redeem(try await server.code(server.quizzler), server.quizzler)
            let code = try await server.code(server.quizzler)
            let second = try await server.redeem("", server.quizzler, ["grant_code": code])
            for answer in [first, second] {
                #expect(answer.status == 200)
                #expect(
                    Set(answer.json.keys) == ["access_token", "token_type", "expires_in", "refresh_token", "id_token"])
                #expect(answer.json["token_type"] as? String == "Bearer")
                #expect(answer.body.contains(#""expires_in":3600"#))
                #expect(answer["Cache-Control"] == "no-store")
                #expect(answer["Pragma"] == "no-cache")
            }
        }
    }

    @Test("a refresh gives no refresh_token, and can be repeated", arguments: TestDatabase.available)
    func refresh(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let tokens = try await server.connect()
            for _ in 0..<3 {
                server.fixed.advance(by: 30 * 86_400)
                let answer = try await server.refresh(tokens.refresh, server.quizzler)
                #expect(Set(answer.json.keys) == ["access_token", "token_type", "expires_in", "id_token"])
                let access = try #require(answer.json["access_token"] as? String)
                #expect(try await server.roster("/users", bearer: access).status == 200)
            }
        }
    }

    @Test("every defect of a client secret is 400 invalid_client")
    func clientSecrets() async throws {
        try await TestServer.with { server in
            let (quizzler, now) = (server.quizzler, server.fixed.now)
            let time = Int(now.timeIntervalSince1970)
            let defective = [
                "more than six months": try quizzler.secret(at: now, claims: ["exp": time + 15_777_121]),
                "expired": try quizzler.secret(at: now, claims: ["exp": time - 120]),
                "issued in the future": try quizzler.secret(at: now, claims: ["iat": time + 121]),
                "wrong aud": try quizzler.secret(at: now, claims: ["aud": "https://appleid.apple.com/"]),
                "two audiences": try quizzler.secret(
                    at: now, claims: ["aud": ["https://appleid.apple.com", "https://other.example"]]),
                "wrong sub": try quizzler.secret(at: now, claims: ["sub": "org.rival"]),
                "sub in another case": try quizzler.secret(at: now, claims: ["sub": "COM.quizzler"]),
                "wrong iss": try quizzler.secret(at: now, claims: ["iss": server.rival.team.publicID]),
                "unknown key": try quizzler.secret(at: now, header: ["kid": "AAAAAAAAAA"]),
                "key of another team": try quizzler.secret(at: now, header: ["kid": server.rival.keyID]),
                "no kid": try quizzler.secret(at: now, header: ["kid": NSNull()]),
                "alg none": try quizzler.secret(at: now, header: ["alg": "none"], signature: .missing),
                "alg HS256": try quizzler.secret(at: now, header: ["alg": "HS256"]),
                "critical header": try quizzler.secret(at: now, header: ["crit": ["b64"], "b64": false]),
                "bad signature": try quizzler.secret(at: now, signature: .byAnotherKey),
                "DER signature": try quizzler.secret(at: now, signature: .der),
                "no signature": try quizzler.secret(at: now, signature: .missing),
                "no exp": try quizzler.secret(at: now, claims: ["exp": NSNull()]),
                "no JWT": "sesame",
                "too long": try quizzler.secret(at: now, claims: ["x": String(repeating: "x", count: 4_096)]),
            ]
            for (defect, secret) in defective {
                let answer = try await server.token(
                    quizzler, ["client_secret": secret, "grant_type": "refresh_token", "refresh_token": "r"])
                #expect(answer.line == #"400 {"error":"invalid_client"}"#, "\(defect)")
            }
        }
    }

    @Test("good secrets at the edge: six months, a skewed clock, our own issuer, typ, used again")
    func goodSecrets() async throws {
        try await TestServer.with { server in
            let (quizzler, now) = (server.quizzler, server.fixed.now)
            let time = Int(now.timeIntervalSince1970)
            let good = [
                try quizzler.secret(at: now, claims: ["exp": time + 15_777_000]),
                try quizzler.secret(at: now, claims: ["iat": time + 60]),
                try quizzler.secret(at: now, claims: ["aud": TestServer.baseURL]),
                try quizzler.secret(at: now, claims: ["aud": ["https://appleid.apple.com"]]),
                try quizzler.secret(at: now, claims: ["jti": "again"], header: ["typ": "JWT"]),
            ]
            for secret in good + good {
                let answer = try await server.token(
                    quizzler, ["client_secret": secret, "grant_type": "refresh_token", "refresh_token": "r"])
                #expect(answer.line == #"400 {"error":"invalid_grant"}"#)
            }
        }
    }

    @Test("a code works once, and its second use ends what the first gave", arguments: TestDatabase.available)
    func usedCode(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let code = try await server.code(server.quizzler)
            let first = try await server.redeem(code, server.quizzler).json
            let (access, refresh) = (first["access_token"] as? String ?? "", first["refresh_token"] as? String ?? "")
            #expect(try await server.roster("/users", bearer: access).status == 200)

            #expect(try await server.redeem(code, server.quizzler).line == #"400 {"error":"invalid_grant"}"#)
            #expect(try await server.roster("/users", bearer: access).status == 401)
            #expect(try await server.refresh(refresh, server.quizzler).line == #"400 {"error":"invalid_grant"}"#)
            #expect(try await server.audit(of: server.maple.organization.id).contains("code.replayed refused"))
        }
    }

    @Test("revoke answers 200 with an empty body, twice in a row", arguments: TestDatabase.available)
    func revoke(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            for isRefreshToken in [true, false] {
                let tokens = try await server.connect()
                let token = isRefreshToken ? tokens.refresh : tokens.access
                for _ in 0..<2 {
                    let answer = try await server.revoke(token, server.quizzler)
                    #expect(answer.line == "200 ")
                    #expect(answer["Content-Length"] == "0")
                }
                #expect(try await server.roster("/users", tokens).status == 401)
                #expect(
                    try await server.refresh(tokens.refresh, server.quizzler).line == #"400 {"error":"invalid_grant"}"#)
            }
        }
    }

    @Test("the identity token names the organization and the person as the roster does")
    func identityToken() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect(server.quizzler, ["nonce": "n-0S6_WzA2Mj"])
            let keys = try await server.browser().get("/auth/oauth2/v2/keys")
            let token = try await SignedToken.verify(tokens.identity, with: keys)
            let organization = try await server.roster("/organization", tokens).json
            #expect(token.claims["org_id"] as? String == organization["id"] as? String)
            let sub = try #require(token.claims["sub"] as? String)
            #expect(try await server.roster("/users/\(sub)", tokens).json["givenName"] as? String == "Ada")
            #expect(token.claims["nonce"] as? String == "n-0S6_WzA2Mj")
            #expect(token.header["alg"] as? String == "RS256")
        }
    }
}
