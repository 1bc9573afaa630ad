import Authorization
import Directory
import Fixtures
import Foundation
import ServerHTTP
import Storage
import Testing
import TestSupport

@testable import TestServers

/// What lives on after a consent: docs/specifications/roster-api.md, 5.10 to 5.16 and 6.
@Suite struct GrantTests {
    @Test("a refresh token does not expire by itself")
    func refreshLife() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            server.fixed.advance(by: 3 * 365 * 86_400)
            #expect(try await server.refresh(tokens.refresh, server.quizzler).status == 200)
        }
    }

    @Test("after a second consent old tokens keep the scopes that both have", arguments: TestDatabase.available)
    func intersection(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let wide = try await server.connect()
            let narrow = try await server.connect(scope: "edu.classes.read")
            #expect(try await server.roster("/users", wide).status == 403)
            #expect(try await server.roster("/classes", wide).status == 200)
            _ = try await server.connect()
            #expect(try await server.roster("/users", wide).status == 200)
            #expect(try await server.roster("/users", narrow).status == 403)
            #expect(try await server.refresh(narrow.refresh, server.quizzler).status == 200)
        }
    }

    @Test("the consent stays when the administrator who gave it leaves")
    func administratorLeaves() async throws {
        try await TestServer.with { server in
            let (maple, now) = (server.maple, server.fixed.now)
            let tokens = try await server.connect(as: maple.siteManager)
            try await server.database.write { try maple.siteManager.deactivate(at: now, in: $0) }
            #expect(try await server.roster("/users", tokens).status == 200)
            #expect(try await server.refresh(tokens.refresh, server.quizzler).status == 200)
        }
    }

    @Test("http, localhost and addresses are no return URLs, loopback is one in development")
    func returnURLs() throws {
        for text in [
            "http://quizzler.example/cb", "https://localhost/cb", "https://127.0.0.1/cb", "https://[::1]/cb",
            "https://a.localhost/", "https://quizzler.example/cb#x", "https://10.1.2.3/", "https://u@quizzler.example/",
            "/cb", "quizzler:cb", "",
        ] {
            #expect(throws: ReturnURL.Problem.self) { try ReturnURL(text, allowingLoopback: false) }
        }
        _ = try ReturnURL("http://localhost:8081/cb", allowingLoopback: true)
    }

    @Test("the identity token has the promised claims and no other")
    func claims() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect(server.quizzler, ["nonce": "once"])
            let keys = try await server.browser().get("/auth/oauth2/v2/keys")
            let token = try await SignedToken.verify(tokens.identity, with: keys)
            let time = Int(server.fixed.now.timeIntervalSince1970)
            let users = try await server.roster("/users", tokens).list("users")
            #expect(
                canonical(token.claims.filter { $0.key != "at_hash" })
                    == canonical([
                        "iss": TestServer.baseURL, "aud": "com.quizzler", "iat": time, "exp": time + 3_600,
                        "sub": users[0]["id"] ?? "", "org_id": server.maple.organization.publicID, "auth_time": time,
                        "nonce": "once", "nonce_supported": true,
                    ]))
            #expect((token.claims["at_hash"] as? String)?.count == 22)

            let refreshed = try await server.refresh(tokens.refresh, server.quizzler).json["id_token"] as? String
            let second = try await SignedToken.verify(try #require(refreshed), with: keys)
            #expect(second.claims["nonce"] == nil)
            #expect(second.claims["sub"] as? String == token.claims["sub"] as? String)
        }
    }

    @Test("an operator on loopback may emulate the issuer that clients have compiled in; elsewhere not")
    func issuer() async throws {
        let apple = "https://appleid.apple.com"
        #expect(throws: (any Error).self) {
            try ServerConfiguration(baseURL: "https://id.school.example", issuer: apple)
        }
        try await TestServer.with(configure: {
            $0 = try ServerConfiguration(baseURL: "http://localhost:8080", issuer: apple)
            $0.port = 0
        }) { server in
            let tokens = try await server.connect()
            let keys = try await server.browser().get("/auth/oauth2/v2/keys")
            let token = try await SignedToken.verify(tokens.identity, with: keys)
            #expect(token.claims["iss"] as? String == apple)
        }
    }

    @Test("the test scope gets an identity token too")
    func testScopeIdentity() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect(as: server.scene.developer, scope: TestServer.testScope)
            let keys = try await server.browser().get("/auth/oauth2/v2/keys")
            let organization = try await server.roster("/organization", tokens).json
            let token = try await SignedToken.verify(tokens.identity, with: keys)
            #expect(token.claims["org_id"] as? String == organization["id"] as? String)
        }
    }

    @Test("the key set has one RSA key with the documented members, and may be cached")
    func keySet() async throws {
        try await TestServer.with { server in
            let answer = try await server.browser().get("/auth/oauth2/v2/keys")
            let key = try #require(answer.list("keys").first)
            #expect(answer.list("keys").count == 1)
            #expect(Set(key.keys) == ["kty", "kid", "use", "alg", "n", "e"])
            #expect(key["kty"] as? String == "RSA" && key["alg"] as? String == "RS256" && key["e"] as? String == "AQAB")
            #expect((key["kid"] as? String)?.count == 10)
            #expect(answer["Cache-Control"] == "public, max-age=900")
            #expect(try await server.browser().get("/auth/oauth2/v2/unknown").status == 404)
        }
    }
}
