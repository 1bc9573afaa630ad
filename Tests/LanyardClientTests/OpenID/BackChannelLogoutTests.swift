import Foundation
import JWTKit
import LanyardAPI
import LanyardClient
import Testing

/// OpenID Connect Back-Channel Logout 1.0, section 2.6.
@Suite struct BackChannelLogoutTests {
    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// The claims of a good token; what is handed in replaces members, nil leaves one out.
    private static func claims(_ changes: [String: (any Sendable)?] = [:]) throws -> String {
        let good: [String: (any Sendable)?] = [
            "iss": "https://lanyard.example/oidc", "aud": "org.hillfield.planner", "iat": 1_767_225_600,
            "exp": 1_767_225_720, "jti": "j-0", "sub": "s", "sid": "t", "events": [event: [String: String]()],
        ]
        let claims = good.merging(changes) { $1 }.compactMapValues { $0 }
        return String(
            decoding: try JSONSerialization.data(withJSONObject: claims, options: .sortedKeys), as: UTF8.self)
    }

    private func verify(_ claims: String, type: String = "logout+jwt") async throws -> BackChannelLogout {
        let script = Script([OpenIDClientTests.metadata(), .ok(try TestKeys.keySet(keyID: "k1"))])
        let token = try await TestKeys.sign(claims, type: type)
        return try await script.openIDClient().verify(logout: "logout_token=\(token)")
    }

    @Test("a good token says who, and which session", arguments: ["logout+jwt", "JWT"])
    func good(type: String) async throws {
        let logout = try await verify(try Self.claims(), type: type)
        #expect(logout.id == "j-0")
        #expect(logout.subject == "s")
        #expect(logout.sessionID == "t")
        #expect(logout.issuedAt == Date(timeIntervalSince1970: 1_767_225_600))
        #expect(try await verify(try Self.claims(["sid": nil])).sessionID == nil)
        #expect(try await verify(try Self.claims(["sub": nil])).sessionID == "t")
        #expect(try await verify(try Self.claims(["aud": ["x", "org.hillfield.planner"]])).subject == "s")
    }

    @Test("what is no logout token, or another's, is refused")
    func refused() async throws {
        let refusals: [([String: (any Sendable)?], TokenDefect)] = [
            (["iss": "https://lanyard.example"], .wrongIssuer), (["aud": "org.other"], .wrongAudience),
            (["exp": 1_767_225_539], .expired), (["iat": 1_767_225_661], .issuedInTheFuture),
            (["nonce": "n"], .malformed), (["sub": nil, "sid": nil], .malformed), (["events": nil], .malformed),
            (["events": [String: String]()], .malformed), (["events": ["other": [String: String]()]], .malformed),
            (["events": [Self.event: "x"]], .malformed), (["jti": nil], .malformed),
        ]
        for (changes, problem) in refusals {
            await #expect(throws: LanyardClientError.invalidToken(problem), "\(changes)") {
                try await verify(try Self.claims(changes))
            }
        }
        await #expect(throws: LanyardClientError.invalidToken(.malformed)) {
            try await verify(try Self.claims(), type: "at+jwt")
        }
        for body in ["", "token=x", "logout_token=x", "logout_token=a&logout_token=b"] {
            await #expect(throws: LanyardClientError.invalidToken(.malformed)) {
                try await Script([OpenIDClientTests.metadata()]).openIDClient().verify(logout: body)
            }
        }
    }

    @Test("a logout token is no identity token")
    func identity() async throws {
        let script = Script([OpenIDClientTests.metadata(), .ok(try TestKeys.keySet(keyID: "k1"))])
        let token = try await TestKeys.sign(try Self.claims(), type: "logout+jwt")
        await #expect(throws: LanyardClientError.invalidToken(.malformed)) {
            try await script.openIDClient().verify(identityToken: token, nonce: nil)
        }
    }

    @Test("a provider signs with P-256 too; each key is for its own algorithm")
    func p256() async throws {
        let key = ES256PrivateKey()
        let point = try #require(key.parameters)
        func base64URL(_ text: String) -> String {
            text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        let set = JWKSet(keys: [JWK(p256X: base64URL(point.x), y: base64URL(point.y), keyID: "e1")])
        let keys = String(decoding: try JSONEncoder().encode(set), as: UTF8.self)
        let claims = OpenIDClientTests.claims()
        func verify(_ token: String) async throws -> IdentityToken {
            try await Script([OpenIDClientTests.metadata(), .ok(keys)]).openIDClient()
                .verify(identityToken: token, nonce: "n1")
        }
        #expect(try await verify(try await TestKeys.sign(claims, keyID: "e1", with: key)).subject == "s")
        await #expect(throws: LanyardClientError.invalidToken(.invalidSignature)) {
            try await verify(try await TestKeys.sign(claims, keyID: "e1", with: ES256PrivateKey()))
        }
        // Signed with RSA, with the id of a key that is no RSA key.
        await #expect(throws: LanyardClientError.invalidToken(.unsupportedAlgorithm)) {
            try await verify(try await TestKeys.sign(claims, keyID: "e1"))
        }
        // The other profile knows RS256 alone.
        let script = Script([.ok(keys)])
        let other = try await TestKeys.sign(claims, keyID: "e1", with: key)
        await #expect(throws: LanyardClientError.invalidToken(.unsupportedAlgorithm)) {
            try await script.client().signIn.verify(identityToken: other, nonce: "n1")
        }
    }
}
