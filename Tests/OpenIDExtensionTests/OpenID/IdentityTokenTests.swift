import Crypto
import Foundation
import Ground
@testable import OpenIDExtension
import SingleSignOnWire
import Testing

@Suite struct IdentityTokenTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)
    private static let key = P256.Signing.PrivateKey()
    private static let expected = IdentityToken.Expected(
        issuer: "https://id.test", client: "burgers", nonce: "n", now: now)

    private func keys(_ key: P256.Signing.PrivateKey = key, kid: String = "1") throws -> KeySet {
        let jwk = DeviceKey.jwk(of: key.publicKey).merging(["kid": kid]) { $1 }
        let text = try JSONEncoder().encode(["keys": [jwk, ["kty": "unknown"]]])
        return try JSONDecoder().decode(KeySet.self, from: text)
    }

    private func token(
        _ changes: JSONWebToken.Object = [:], header: JSONWebToken.Object = ["kid": .string("1")]
    ) throws -> String {
        let claims: JSONWebToken.Object = [
            "iss": .string("https://id.test"), "aud": .string("burgers"), "sub": .string("ana"),
            "nonce": .string("n"), "exp": .integer(1_700_000_300), "iat": .integer(1_700_000_000),
        ]
        return try JSONWebToken.sign(claims.merging(changes) { $1 }, header: header, with: Self.key)
    }

    @Test func `a token for this client is accepted`() throws {
        #expect(try IdentityToken(token(), keys: keys(), expected: Self.expected).subject == "ana")
        let several: JSONWebToken.Object = [
            "aud": .array([.string("x"), .string("burgers")]), "azp": .string("burgers"),
        ]
        #expect(try IdentityToken(token(several), keys: keys(), expected: Self.expected).subject == "ana")
    }

    @Test(
        arguments: [
            ["iss": .string("https://evil.test")], ["aud": .string("tacos")], ["nonce": .string("other")],
            ["exp": .integer(1_699_999_900)], ["iat": .integer(1_700_001_000)], ["azp": .string("tacos")],
            ["aud": .array([.string("burgers"), .string("tacos")])],
        ] as [JSONWebToken.Object])
    func `a token that is another's, old or of the future is refused`(changes: JSONWebToken.Object) throws {
        #expect(throws: AuthorizationFailure.self) {
            try IdentityToken(token(changes), keys: keys(), expected: Self.expected)
        }
    }

    @Test func `a token that another key has signed is refused`() throws {
        #expect(throws: AuthorizationFailure.self) {
            try IdentityToken(token(), keys: keys(P256.Signing.PrivateKey()), expected: Self.expected)
        }
        #expect(throws: IdentityToken.KeyMissing.self) {
            try IdentityToken(token(), keys: keys(kid: "2"), expected: Self.expected)
        }
    }

    @Test(arguments: ["none", "HS256", "RS256"])
    func `a token cannot choose how it is verified`(algorithm: String) throws {
        let parts = try token().split(separator: ".")
        let header = Data(#"{"alg":"\#(algorithm)","kid":"1"}"#.utf8).base64URLEncoded
        for signature in ["", String(parts[2])] {
            #expect(throws: (any Error).self) {
                try IdentityToken("\(header).\(parts[1]).\(signature)", keys: keys(), expected: Self.expected)
            }
        }
    }

    @Test(arguments: ["", "a.b", "a.b.c", "....", "e30.e30.e30"])
    func `what is no token is refused`(text: String) throws {
        #expect(throws: (any Error).self) { try IdentityToken(text, keys: keys(), expected: Self.expected) }
    }

    @Test func `a provider speaks for itself alone, and over TLS`() throws {
        func description(_ changes: [String: String]) -> Data {
            let usual = [
                "issuer": "https://id.test", "authorization_endpoint": "https://id.test/a",
                "token_endpoint": "https://id.test/t",
            ]
            return (try? JSONEncoder().encode(usual.merging(changes) { $1 })) ?? Data()
        }
        #expect(try ProviderMetadata.read(description([:]), of: "https://id.test").tokenEndpoint == "https://id.test/t")
        for wrong in [
            ["issuer": "https://other.test"], ["token_endpoint": "http://id.test/t"], ["jwks_uri": "http://id.test/k"],
        ] {
            #expect(throws: AuthorizationFailure.self) {
                try ProviderMetadata.read(description(wrong), of: "https://id.test")
            }
        }
        #expect(
            ProviderMetadata.addresses(of: "https://id.test/tenant/").map(\.absoluteString) == [
                "https://id.test/tenant/.well-known/openid-configuration",
                "https://id.test/.well-known/oauth-authorization-server/tenant",
            ])
    }

    @Test func `what a provider names is its own, or the profile says so`() throws {
        func metadata(_ changes: [String: String], issuer: String = "https://id.test") throws -> ProviderMetadata {
            let usual = [
                "issuer": issuer, "authorization_endpoint": "\(issuer)/a", "token_endpoint": "\(issuer)/t",
            ]
            return try ProviderMetadata.read(
                JSONEncoder().encode(usual.merging(changes) { $1 }), of: issuer)
        }
        var settings = Settings()
        let elsewhere = try metadata(["token_endpoint": "https://evil.test/t"])
        #expect(throws: AuthorizationFailure.self) { try elsewhere.check(settings) }
        try metadata([:]).check(settings)
        settings.identityProviderHosts = [try #require(ProviderHost("evil.test"))]
        try elsewhere.check(settings)
        settings.identityProviderHosts = []
        settings.issuer = "https://id.test"
        try elsewhere.check(settings)
        // Another program of this machine is no part of a provider that is elsewhere.
        #expect(throws: AuthorizationFailure.self) {
            try metadata(["jwks_uri": "http://127.0.0.1:1/k"]).check(settings)
        }
        try metadata(["jwks_uri": "http://127.0.0.1:2/k"], issuer: "http://127.0.0.1:1").check(settings)
    }

    @Test func `an app's own client does not get the credentials of the profile's`() throws {
        let url = try #require(URL(string: "https://id.test"))
        var settings = Settings()
        settings.clientID = "burgers"
        for method in Settings.ClientAuthentication.allCases {
            settings.clientAuthentication = method
            let own: [String: PropertyListValue] = ["client_id": .string("burgers")]
            #expect(try TokenRequest(own, url: url, settings: settings).wish.client == "burgers")
            let other: [String: PropertyListValue] = ["client_id": .string("tacos")]
            if method == .none {
                #expect(try TokenRequest(other, url: url, settings: settings).wish.client == "tacos")
            } else {
                #expect(throws: AuthorizationFailure.self) { try TokenRequest(other, url: url, settings: settings) }
            }
        }
    }

    @Test func `a refreshed identity token is of the same person and request`() throws {
        func identity(_ changes: JSONWebToken.Object) throws -> IdentityToken {
            let expected = IdentityToken.Expected(
                issuer: "https://id.test", client: "burgers", nonce: nil, now: Self.now)
            return try IdentityToken(token(changes), keys: keys(), expected: expected)
        }
        let request = try TokenRequest(
            ["client_id": .string("burgers")], url: #require(URL(string: "https://id.test")), settings: Settings())
        let before = SavedTokens(
            wish: request.wish, accessToken: "a", tokenType: "Bearer", scope: "openid", identityToken: try token(),
            nonce: "n")
        try CodeFlow.check(identity([:]), after: before)
        try CodeFlow.check(identity(["sub": .string("bob")]), after: nil)
        for changes in [["sub": .string("bob")], ["nonce": .string("of another request")]] as [JSONWebToken.Object] {
            #expect(throws: AuthorizationFailure.self) { try CodeFlow.check(identity(changes), after: before) }
        }
    }

    @Test func `what was saved for one wish serves no other`() throws {
        let url = try #require(URL(string: "https://id.test/?x#y"))
        func wish(_ options: [String: PropertyListValue]) throws -> TokenWish {
            try TokenRequest(options.merging(["client_id": .string("a")]) { $1 }, url: url, settings: Settings()).wish
        }
        let plain = try wish(["scope": .string("openid b a"), "prompt": .string("login"), "state": .string("s")])
        #expect(plain.issuer == "https://id.test/")
        #expect(try wish(["scope": .array([.string("a"), .string("b"), .string("openid"), .string("a")])]) == plain)
        for name in ["resource", "audience", "claims", "acr_values"] {
            #expect(try wish(["scope": .string("openid b a"), name: .string("x")]) != plain, "\(name)")
        }
    }

    @Test func `a token that should be bound to this device is`() throws {
        #expect(try CodeFlow.tokenType("DPoP", isBound: true) == "DPoP")
        #expect(try CodeFlow.tokenType(nil, isBound: false) == "Bearer")
        for (type, isBound) in [("Bearer", true), (nil, true), ("DPoP", false), ("mac", false)] as [(String?, Bool)] {
            #expect(throws: AuthorizationFailure.self) { try CodeFlow.tokenType(type, isBound: isBound) }
        }
    }
}
