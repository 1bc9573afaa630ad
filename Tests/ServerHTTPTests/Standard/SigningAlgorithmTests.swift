import Authorization
import Directory
import Fixtures
import Foundation
import Ground
import Storage
import Testing
import TestSupport

@testable import TestServers

/// ES256 for standard clients that ask for it. OpenID Connect Core §3.1.3.7, RFC 7518 §3.4.
@Suite struct SigningAlgorithmTests {
    private func choose(_ algorithm: SigningAlgorithm, on server: TestServer) async throws {
        try await server.database.write {
            try Client.find("com.quizzler", in: $0)?.put(signingAlgorithm: algorithm, in: $0)
        }
    }

    private func verified(_ token: String, on server: TestServer) async throws -> SignedToken {
        try await SignedToken.verify(token, with: try await server.browser().get("/oidc/keys"))
    }

    @Test(
        "a client gets the signature that it is registered for, from the next token on",
        arguments: TestDatabase.available)
    func chosen(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let client = try await StandardClient.secret(on: server)
            let nadia = server.maple.nadia
            let scope = "openid profile offline_access"
            let before = try await client.tokens(as: nadia, scope: scope)
            #expect(try await verified(before.identity, on: server).header["alg"] as? String == "RS256")
            try await choose(.es256, on: server)
            let after = try await client.tokens(as: nadia, scope: scope)
            let refreshed = try TestServer.tokens(try await client.refresh(before.refresh))
            for tokens in [after, refreshed] {
                let token = try await verified(tokens.identity, on: server)
                #expect(Set(token.header.keys) == ["alg", "kid"])
                #expect(token.header["alg"] as? String == "ES256")
                #expect(token.claims["name"] as? String == "Nadia Okoye")
                #expect(tokens.identity.split(separator: ".").last?.count == 86)
            }
            // The other profiles keep RS256.
            let compatible = try await server.tokens(as: nadia)
            #expect(try await server.verified(compatible.identity).header["alg"] as? String == "RS256")
            try await choose(.rs256, on: server)
            let again = try await client.tokens(as: nadia)
            #expect(try await verified(again.identity, on: server).header["alg"] as? String == "RS256")
        }
    }

    @Test("the standard key set has both keys, RSA first; the others have none that their clients cannot read")
    func published() async throws {
        try await TestServer.with { server in
            let keys = try await server.browser().get("/oidc/keys").list("keys")
            #expect(keys.map { $0["alg"] as? String } == ["RS256", "ES256"])
            #expect(Set(keys[0].keys) == ["kty", "kid", "use", "alg", "n", "e"])
            #expect(Set(keys[1].keys) == ["kty", "kid", "use", "alg", "crv", "x", "y"])
            #expect(keys[1]["crv"] as? String == "P-256")
            for coordinate in ["x", "y"] {
                #expect(Data(base64URLEncoded: keys[1][coordinate] as? String ?? "")?.count == 32)
            }
            for path in ["/auth/keys", "/auth/oauth2/v2/keys"] {
                #expect(try await server.browser().get(path).list("keys").map { $0["kty"] as? String } == ["RSA"])
            }
            let discovery = try await server.browser().get("/oidc/.well-known/openid-configuration").json
            #expect(discovery["id_token_signing_alg_values_supported"] as? [String] == ["RS256", "ES256"])
            let compatible = try await server.browser().get("/.well-known/openid-configuration").json
            #expect(compatible["id_token_signing_alg_values_supported"] as? [String] == ["RS256"])
        }
    }

    @Test("an ES256 token is a hint like any other; with another algorithm or signature it is none")
    func hint() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            try await choose(.es256, on: server)
            let browser = server.browser()
            let token = try await client.tokens(as: server.maple.nadia, in: browser).identity
            func silently(_ hint: String) async throws -> String? {
                let answer = try await browser.get(client.path(["prompt": "none", "id_token_hint": hint]))
                return answer.redirectParameters["code"] == nil ? answer.redirectParameters["error"] : "code"
            }
            #expect(try await silently(token) == "code")
            let parts = token.split(separator: ".").map(String.init)
            let kid = try #require(try await verified(token, on: server).header["kid"] as? String)
            for algorithm in ["RS256", "HS256", "none"] {
                let header = Data(#"{"alg":"\#(algorithm)","kid":"\#(kid)"}"#.utf8).base64URLEncoded
                #expect(try await silently("\(header).\(parts[1]).\(parts[2])") == "login_required", "\(algorithm)")
            }
            // Verifiers that do not check the range accept a signature of zeros for any text.
            for signature in [Data(count: 64), Data(count: 63), Data()] {
                let forged = "\(parts[0]).\(parts[1]).\(signature.base64URLEncoded)"
                #expect(try await silently(forged) == "login_required")
            }
            #expect(try await browser.get("/oidc/logout?id_token_hint=\(token)").location == "/signed-out")
        }
    }

    @Test("a new key of one algorithm leaves the keys of the other as they are", arguments: TestDatabase.available)
    func rotation(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            func published() async throws -> [String: [String]] {
                Dictionary(grouping: try await server.browser().get("/oidc/keys").list("keys")) {
                    $0["alg"] as? String ?? ""
                }.mapValues { $0.map { $0["kid"] as? String ?? "" } }
            }
            let client = try await StandardClient.secret(on: server)
            try await choose(.es256, on: server)
            let first = try await published()
            let (rsa, former) = (try #require(first["RS256"]), try #require(first["ES256"]))
            let old = try await client.tokens(as: server.maple.nadia)
            let next = try #require(
                try await SigningKeys.add(
                    .es256, signingFrom: server.fixed.now.addingTimeInterval(SigningKeys.notice), to: server.database,
                    under: server.scene.masterKey, surroundings: server.fixed.surroundings))
            server.fixed.advance(by: 16)
            #expect(try await published() == ["RS256": rsa, "ES256": former + [next]])
            server.fixed.advance(by: SigningKeys.notice)
            let new = try await client.tokens(as: server.maple.nadia)
            #expect(try await verified(new.identity, on: server).header["kid"] as? String == next)
            #expect(try await verified(old.identity, on: server).header["kid"] as? String == former.first)
            server.fixed.advance(by: SigningKeys.retention)
            #expect(try await published() == ["RS256": rsa, "ES256": [next]])
        }
    }
}
