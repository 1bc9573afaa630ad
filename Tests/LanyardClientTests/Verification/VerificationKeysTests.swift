import Foundation
import LanyardClient
import Testing

@Suite struct VerificationKeysTests {
    private func verify(_ client: LanyardClient, keyID: String) async throws {
        let claims = IdentityTokenTests.claims(expiresAt: 1_999_999_999)
        _ = try await client.verify(identityToken: TestKeys.sign(claims, keyID: keyID), nonce: "n")
    }

    @Test("keys are fetched once, and again after a quarter of an hour")
    func cache() async throws {
        let keySet = try TestKeys.keySet(keyID: "k1")
        let script = Script([.ok(keySet), .ok(keySet)])
        let client = try script.client()
        try await verify(client, keyID: "k1")
        script.advance(by: 899)
        try await verify(client, keyID: "k1")
        #expect(script.requests.count == 1)
        script.advance(by: 1)
        try await verify(client, keyID: "k1")
        #expect(script.requests.count == 2)
    }

    @Test(
        "what a retired key has signed is believed for a quarter of an hour at most",
        arguments: [900, -86_400])
    func retired(_ seconds: TimeInterval) async throws {
        let script = Script([.ok(try TestKeys.keySet(keyID: "k1")), .ok(try TestKeys.keySet(keyID: "k2"))])
        let client = try script.client()
        try await verify(client, keyID: "k1")
        script.advance(by: seconds)
        await #expect(throws: LanyardClientError.invalidToken(.unknownKey)) { try await verify(client, keyID: "k1") }
    }

    @Test("an unknown key id fetches the keys again, at most once a minute")
    func rotation() async throws {
        let script = Script([.ok(try TestKeys.keySet(keyID: "k1")), .ok(try TestKeys.keySet(keyID: "k2"))])
        let client = try script.client()
        try await verify(client, keyID: "k1")
        script.advance(by: 59)
        await #expect(throws: LanyardClientError.invalidToken(.unknownKey)) { try await verify(client, keyID: "k2") }
        #expect(script.requests.count == 1)
        script.advance(by: 1)
        try await verify(client, keyID: "k2")
        #expect(script.requests.count == 2)
        await #expect(throws: LanyardClientError.invalidToken(.unknownKey)) { try await verify(client, keyID: "k1") }
    }

    @Test("a flood of tokens with made-up key ids costs the service one request a minute")
    func flood() async throws {
        let script = Script([.ok(try TestKeys.keySet(keyID: "k1")), .ok(try TestKeys.keySet(keyID: "k1"))])
        let client = try script.client()
        try await verify(client, keyID: "k1")
        script.advance(by: 60)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    await #expect(throws: LanyardClientError.invalidToken(.unknownKey)) {
                        try await verify(client, keyID: "made-up-\(number)")
                    }
                }
            }
        }
        #expect(script.requests.count == 2)
        try await verify(client, keyID: "k1")
    }

    @Test("a key id that is not in the set is refused, whoever has signed")
    func unknownKey() async throws {
        let client = try Script([.ok(try TestKeys.keySet(keyID: "k1"))]).client()
        await #expect(throws: LanyardClientError.invalidToken(.unknownKey)) { try await verify(client, keyID: "k9") }
    }

    @Test("keys that cannot be read are no verdict on the token, and are not asked for in a rush")
    func unavailable() async throws {
        let script = Script([.status(503), .ok(try TestKeys.keySet(keyID: "k1"))])
        let client = try script.client()
        await #expect(throws: LanyardClientError.unexpectedAnswer(status: 503, "", requestID: nil)) {
            try await verify(client, keyID: "k1")
        }
        await #expect(throws: LanyardClientError.transport("The keys could not be read just now.")) {
            try await verify(client, keyID: "k1")
        }
        #expect(script.requests.count == 1)
        script.advance(by: 60)
        try await verify(client, keyID: "k1")
    }

    @Test("an unknown key id is no verdict on the token while newer keys cannot be read")
    func newerKeysUnavailable() async throws {
        let script = Script([
            .ok(try TestKeys.keySet(keyID: "k1")), .failure, .ok(try TestKeys.keySet(keyID: "k2")),
        ])
        let client = try script.client()
        try await verify(client, keyID: "k1")
        script.advance(by: 60)
        await #expect(throws: LanyardClientError.transport("connection lost")) {
            try await verify(client, keyID: "k2")
        }
        await #expect(throws: LanyardClientError.transport("The keys could not be read just now.")) {
            try await verify(client, keyID: "k2")
        }
        try await verify(client, keyID: "k1")
        #expect(script.requests.count == 2)
        script.advance(by: 60)
        try await verify(client, keyID: "k2")
    }

    @Test("keys of other kinds in the set are passed over")
    func otherKeys() async throws {
        let keySet = try TestKeys.keySet(keyID: "k1")
            .replacing(#"{"keys":["#, with: #"{"keys":[{"kty":"EC","kid":"e1","crv":"P-256"},{"kty":"RSA","kid":"x"},"#)
        try await verify(Script([.ok(keySet)]).client(), keyID: "k1")
    }
}
