import Foundation
import LanyardClient
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

    @Test("text that is no token is refused", arguments: ["", "a.b", "a.b.c.d", "%.%.%"])
    func noToken(text: String) async throws {
        let client = try Script().client()
        await #expect(throws: LanyardClientError.invalidToken(.malformed)) {
            try await client.verify(identityToken: text, nonce: nil)
        }
    }
}
