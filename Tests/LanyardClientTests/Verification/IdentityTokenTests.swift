import Crypto
import Foundation
import JWTKit
import LanyardAPI
@testable import LanyardClient
import Testing

@Suite struct IdentityTokenTests {
    static let now = 1_767_225_600

    static func claims(
        issuer: String = "https://lanyard.example",
        audience: String = #""org.hillfield.planner""#,
        issuedAt: Int = now,
        expiresAt: Int = now + 3_600,
        more: String = #","org_id":"o","nonce":"n","email":"","email_verified":"false","auth_time":1767225000"#
    ) -> String {
        #"{"iss":"\#(issuer)","aud":\#(audience),"sub":"s","iat":\#(issuedAt),"exp":\#(expiresAt)\#(more)}"#
    }

    @Test("a token that fits is accepted and its claims are read")
    func accepted() async throws {
        let script = Script([.ok(try TestKeys.keySet(keyID: "k1"))])
        let token = try await script.client().verify(identityToken: TestKeys.sign(Self.claims()), nonce: "n")

        #expect(token.subject == "s")
        #expect(token.organizationID == "o")
        #expect(token.email == nil)
        #expect(token.expiresAt == script.now.addingTimeInterval(3_600))
        #expect(token.authenticatedAt == Date(timeIntervalSince1970: 1_767_225_000))
        #expect(script.requests.map(\.url) == ["https://lanyard.example/auth/oauth2/v2/keys"])
    }

    @Test("an audience may be a list")
    func audiences() async throws {
        let script = Script([.ok(try TestKeys.keySet(keyID: "k1"))])
        let claims = Self.claims(audience: #"["other","org.hillfield.planner"]"#)
        _ = try await script.client().verify(identityToken: TestKeys.sign(claims), nonce: "n")
    }

    @Test("clocks may differ by a minute", arguments: [claims(issuedAt: now + 60), claims(expiresAt: now - 59)])
    func tolerance(claims: String) async throws {
        let script = Script([.ok(try TestKeys.keySet(keyID: "k1"))])
        _ = try await script.client().verify(identityToken: TestKeys.sign(claims), nonce: "n")
    }

    @Test(
        "a token that does not fit is refused with the reason",
        arguments: [
            (claims(issuer: "https://lanyard.example/auth/oauth2/v2"), TokenDefect.wrongIssuer),
            (claims(audience: #""org.hillfield.other""#), .wrongAudience),
            (claims(expiresAt: now - 60), .expired),
            (claims(issuedAt: now + 61), .issuedInTheFuture),
            (claims(more: #","nonce":"m""#), .wrongNonce),
            (claims(more: ""), .wrongNonce),
            (#"{"iss":"https://lanyard.example"}"#, .malformed),
            ("[]", .malformed),
        ])
    func refused(claims: String, defect: TokenDefect) async throws {
        let client = try Script([.ok(try TestKeys.keySet(keyID: "k1"))]).client()
        let token = try await TestKeys.sign(claims)
        await #expect(throws: LanyardClientError.invalidToken(defect)) {
            try await client.verify(identityToken: token, nonce: "n")
        }
    }

    @Test("a signature by another key under a known id is refused")
    func forged() async throws {
        let client = try Script([.ok(try TestKeys.keySet(keyID: "k1"))]).client()
        let token = try await TestKeys.sign(Self.claims(), with: TestKeys.foreign)
        await #expect(throws: LanyardClientError.invalidToken(.invalidSignature)) {
            try await client.verify(identityToken: token, nonce: "n")
        }
    }

    @Test(
        "a token without a signature, or under another algorithm, is refused before any key is asked for",
        arguments: [
            (#"{"alg":"none","kid":"k1"}"#, TokenDefect.unsupportedAlgorithm),
            (#"{"alg":"HS256","kid":"k1"}"#, .unsupportedAlgorithm),
            (#"{"alg":"RS256"}"#, .malformed),
        ])
    func algorithm(header: String, defect: TokenDefect) async throws {
        let script = Script()
        let client = try script.client()
        let parts = [header, Self.claims()].map { TestKeys.base64URL(Data($0.utf8)) }
        await #expect(throws: LanyardClientError.invalidToken(defect)) {
            try await client.verify(identityToken: "\(parts[0]).\(parts[1]).", nonce: "n")
        }
        #expect(script.requests.isEmpty)
    }

    @Test("an HMAC with the public key as its secret is refused")
    func confusion() async throws {
        let keySet = try TestKeys.keySet(keyID: "k1")
        let client = try Script([.ok(keySet)]).client()
        let parts = [#"{"alg":"HS256","kid":"k1"}"#, Self.claims()].map { TestKeys.base64URL(Data($0.utf8)) }
        for secret in [TestKeys.service.publicKey.pemRepresentation, keySet] {
            let mac = HMAC<SHA256>.authenticationCode(
                for: Data("\(parts[0]).\(parts[1])".utf8), using: SymmetricKey(data: Data(secret.utf8)))
            let token = "\(parts[0]).\(parts[1]).\(TestKeys.base64URL(Data(mac)))"
            await #expect(throws: LanyardClientError.invalidToken(.unsupportedAlgorithm)) {
                try await client.signIn.verify(identityToken: token, nonce: "n")
            }
        }
    }

    @Test("a token with an extension that has to be understood is refused")
    func critical() async throws {
        let client = try Script().client()
        let parts = [#"{"alg":"RS256","kid":"k1","crit":["x"],"x":1}"#, Self.claims()]
            .map { TestKeys.base64URL(Data($0.utf8)) }
        await #expect(throws: LanyardClientError.invalidToken(.malformed)) {
            try await client.signIn.verify(identityToken: "\(parts[0]).\(parts[1]).AAAA", nonce: "n")
        }
    }

    @Test("a token of unreasonable length is refused before it is looked at")
    func long() async throws {
        let script = Script()
        let client = try script.client()
        let token = try await TestKeys.sign(Self.claims(more: #","x":"\#(String(repeating: "x", count: 20_000))""#))
        await #expect(throws: LanyardClientError.invalidToken(.malformed)) {
            try await client.signIn.verify(identityToken: token, nonce: "n")
        }
        #expect(script.requests.isEmpty)
    }

    @Test("a token that another of its audiences has asked for is refused")
    func authorizedParty() async throws {
        let client = try Script([.ok(try TestKeys.keySet(keyID: "k1"))]).client()
        let audience = #"["other","org.hillfield.planner"]"#
        let ours = Self.claims(audience: audience, more: #","nonce":"n","azp":"org.hillfield.planner""#)
        let other = Self.claims(audience: audience, more: #","nonce":"n","azp":"other""#)
        _ = try await client.signIn.verify(identityToken: TestKeys.sign(ours), nonce: "n")
        let token = try await TestKeys.sign(other)
        await #expect(throws: LanyardClientError.invalidToken(.wrongAudience)) {
            try await client.signIn.verify(identityToken: token, nonce: "n")
        }
    }

    @Test(
        "truth values are read as such and as text",
        arguments: [("true", "false"), (#""true""#, #""false""#)])
    func truthValues(isTrue: String, isFalse: String) async throws {
        let client = try Script([.ok(try TestKeys.keySet(keyID: "k1"))]).client()
        let claims = Self.claims(
            more: #","email":"a@b.example","email_verified":\#(isTrue),"is_private_email":\#(isFalse)"#)
        let token = try await client.signIn.verify(identityToken: TestKeys.sign(claims), nonce: nil)
        #expect(token.isEmailVerified)
        #expect(!token.isPrivateEmail)
        let other = Self.claims(more: #","email_verified":\#(isFalse),"is_private_email":\#(isTrue)"#)
        let second = try await client.signIn.verify(identityToken: TestKeys.sign(other), nonce: nil)
        #expect(!second.isEmailVerified)
        #expect(second.isPrivateEmail)
    }

    @Test("a truth value that is neither is refused, and is not taken for true")
    func noTruthValue() async throws {
        let client = try Script([.ok(try TestKeys.keySet(keyID: "k1"))]).client()
        let token = try await TestKeys.sign(Self.claims(more: #","email_verified":"yes""#))
        await #expect(throws: LanyardClientError.invalidToken(.malformed)) {
            try await client.signIn.verify(identityToken: token, nonce: nil)
        }
    }

    @Test("a personal account's token and a managed one's are told apart, with all their claims")
    func accounts() async throws {
        let script = Script([.ok(try TestKeys.keySet(keyID: "k1"))])
        let client = try script.client()
        let personal = try await client.signIn.verify(
            identityToken: TestKeys.sign(
                Self.claims(
                    more: #","email":"x7@relay.example","email_verified":true,"is_private_email":true,"#
                        + #""real_user_status":2,"transfer_sub":"t","nonce_supported":true,"auth_time":1767225000"#)),
            nonce: nil)
        #expect(personal.account == .personal)
        #expect(personal.realUserStatus == .likelyReal)
        #expect(personal.transferSubject == "t")
        #expect(personal.isNonceSupported)

        let pupil = try await client.signIn.verify(
            identityToken: TestKeys.sign(
                Self.claims(more: #","org_id":"o","scopes":"edu.users.read","real_user_status":7"#)), nonce: nil)
        #expect(pupil.account == .managed(organizationID: "o"))
        #expect(pupil.scopes == [.usersRead])
        #expect(pupil.email == nil)
        #expect(!pupil.isEmailVerified)
        #expect(pupil.realUserStatus == nil)
        #expect(script.requests.map(\.url) == ["https://lanyard.example/auth/keys"])
    }

    @Test("a token has to vouch for the code beside it")
    func codeHash() async throws {
        let client = try Script([.ok(try TestKeys.keySet(keyID: "k1"))]).client()
        let good = try await TestKeys.sign(Self.claims(more: #","c_hash":"\#(TestKeys.hash("c1"))""#))
        let none = try await TestKeys.sign(Self.claims(more: ""))
        _ = try await client.signIn.verify(identityToken: good, nonce: nil, code: "c1")
        for (token, code) in [(good, "c2"), (none, "c1")] {
            await #expect(throws: LanyardClientError.invalidToken(.wrongHash)) {
                try await client.signIn.verify(identityToken: token, nonce: nil, code: code)
            }
        }
    }

    @Test("a token that vouches for an access token vouches for the one beside it")
    func accessTokenHash() async throws {
        let client = try Script([.ok(try TestKeys.keySet(keyID: "k1"))]).client()
        let good = try await TestKeys.sign(Self.claims(more: #","at_hash":"\#(TestKeys.hash("a1"))""#))
        let none = try await TestKeys.sign(Self.claims(more: ""))
        _ = try await client.signIn.verify(identityToken: good, nonce: nil, accessToken: "a1")
        _ = try await client.signIn.verify(identityToken: none, nonce: nil, accessToken: "a1")
        await #expect(throws: LanyardClientError.invalidToken(.wrongHash)) {
            try await client.signIn.verify(identityToken: good, nonce: nil, accessToken: "a2")
        }
    }

    @Test("the hash is the one of OpenID Connect Core, appendix A.3")
    func hashExample() {
        #expect(TokenVerifier.leftHalfOfHash("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y") == "77QmUPtjPfzWtF2AnpK9RQ")
    }

    @Test("the issuer need not be where the service is")
    func issuer() async throws {
        let script = Script([.ok(try TestKeys.keySet(keyID: "k1"))])
        let client = try script.client { $0.issuer = "https://appleid.apple.com" }
        let claims = Self.claims(issuer: "https://appleid.apple.com", more: "")
        _ = try await client.signIn.verify(identityToken: TestKeys.sign(claims), nonce: nil)
        #expect(script.requests.map(\.url) == ["https://lanyard.example/auth/keys"])
        let token = try await TestKeys.sign(Self.claims(more: ""))
        await #expect(throws: LanyardClientError.invalidToken(.wrongIssuer)) {
            try await client.signIn.verify(identityToken: token, nonce: nil)
        }
    }

    @Test("text that is no token is refused", arguments: ["", "a.b", "a.b.c.d", "%.%.%"])
    func noToken(text: String) async throws {
        let client = try Script().client()
        await #expect(throws: LanyardClientError.invalidToken(.malformed)) {
            try await client.verify(identityToken: text, nonce: nil)
        }
    }
}
