import Foundation
import LanyardAPI
import LanyardClient
import Testing

@Suite struct DeviceAuthorizationTests {
    static func device(interval: String = #","interval":5"#, expiresIn: Int = 600) -> Script.Step {
        .ok(
            #"{"device_code":"d1","user_code":"WDJB-MJHT","verification_uri":"https://lanyard.example/device","#
                + #""verification_uri_complete":"https://lanyard.example/device?code=WDJB-MJHT","#
                + #""expires_in":\#(expiresIn)\#(interval)}"#)
    }

    private func begin(_ script: Script) async throws -> (OpenIDClient, DeviceAuthorization) {
        let client = script.openIDClient()
        return (client, try await client.authorizeDevice(scopes: [.profile], nonce: "n1"))
    }

    @Test("a device shows a code, asks in the given rhythm, slows down when told, and learns who has let it in")
    func flow() async throws {
        let script = Script([
            OpenIDClientTests.metadata(), Self.device(), .refusal("authorization_pending"), .refusal("slow_down"),
            .refusal("authorization_pending"), .failure, .status(429, ["retry-after": "40"]),
            try await SignInClientTests.tokens(OpenIDClientTests.claims()), .ok(try TestKeys.keySet(keyID: "k1")),
        ])
        let (client, device) = try await begin(script)
        #expect(device.userCode == "WDJB-MJHT")
        #expect(device.verificationURI == "https://lanyard.example/device")
        #expect(device.expiresAt == script.now.addingTimeInterval(600))
        #expect(!"\(device)".contains("d1"))
        #expect(
            script.requests[1].parameters == [
                "client_id": "org.hillfield.planner", "scope": "openid profile", "nonce": "n1",
            ])

        let result = try await client.tokens(for: device)
        #expect(result.identity.subject == "s")
        #expect(script.sleeps == [5, 5, 10, 10, 20, 40].map { Duration.seconds($0) })
        #expect(script.requests[2].url == "https://lanyard.example/oidc/token")
        #expect(
            script.requests[2].parameters == [
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": "d1",
                "client_id": "org.hillfield.planner",
            ])
    }

    @Test("the tokens that a code gave are not lost when the keys cannot be had at that moment")
    func keysAway() async throws {
        let script = Script([
            OpenIDClientTests.metadata(), Self.device(), try await SignInClientTests.tokens(OpenIDClientTests.claims()),
            .failure, .ok(try TestKeys.keySet(keyID: "k1")),
        ])
        let (client, device) = try await begin(script)
        #expect(try await client.tokens(for: device).identity.subject == "s")
        #expect(script.sleeps.allSatisfy { $0 == .seconds(5) })
        #expect(script.requests.count { $0.url.hasSuffix("/oidc/token") } == 1)
    }

    @Test("the rhythm is five seconds unless the service says otherwise")
    func interval() async throws {
        let script = Script([
            OpenIDClientTests.metadata(), Self.device(interval: ""), .refusal("access_denied"),
        ])
        let (client, device) = try await begin(script)
        await #expect(throws: LanyardClientError.oauth(.accessDenied, requestID: nil)) {
            try await client.tokens(for: device)
        }
        #expect(script.sleeps == [.seconds(5)])
    }

    @Test("a device gives up when its code expires, whether or not the service says so")
    func expiry() async throws {
        let script = Script(
            [OpenIDClientTests.metadata(), Self.device(expiresIn: 15)]
                + Array(repeating: .refusal("authorization_pending"), count: 3))
        let (client, device) = try await begin(script)
        await #expect(throws: LanyardClientError.oauth(.expiredToken, requestID: nil)) {
            try await client.tokens(for: device)
        }
        #expect(script.sleeps.count == 3)
    }

    @Test("a token without a nonce is accepted here, one with another's is not")
    func nonce() async throws {
        for (more, isAccepted) in [("", true), (#","nonce":"n2""#, false)] {
            let script = Script([
                OpenIDClientTests.metadata(), Self.device(),
                try await SignInClientTests.tokens(OpenIDClientTests.claims(more)),
                .ok(try TestKeys.keySet(keyID: "k1")),
            ])
            let (client, device) = try await begin(script)
            if isAccepted {
                _ = try await client.tokens(for: device)
            } else {
                await #expect(throws: LanyardClientError.invalidToken(.wrongNonce)) {
                    try await client.tokens(for: device)
                }
            }
        }
    }
}
